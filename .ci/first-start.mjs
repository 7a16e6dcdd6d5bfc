// Does what the README's `npm start` promises: the service starts, prints a key, and the key fetches the products.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { env, exit } from 'node:process';

const PATIENCE_MS = 60_000;

const npm = spawn('npm', ['start'], { env: { ...env, PORT: '0', MANAGEMENT_PORT: '0' }, detached: true });
const ended = once(npm, 'exit');
const printed = [];
for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', (text) => printed.push(text));
const timer = setTimeout(() => {
  console.error(`npm start did not print a key within ${PATIENCE_MS / 1000} s:\n${printed.join('')}`);
  process.kill(-npm.pid, 'SIGKILL');
  exit(1);
}, PATIENCE_MS);

const [, client_secret] = await printing(/API key +(\S+)/);
const [, port] = await printing(/Listening on port (\d+)/);
const url = `http://127.0.0.1:${port}`;
const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'DEMO-SHOP', client_secret });
const { access_token } = await (await fetch(`${url}/auth/token`, { method: 'POST', body })).json();
const response = await fetch(`${url}/products`, { headers: { Authorization: `Bearer ${access_token}` } });
const products = await response.json();
clearTimeout(timer);

process.kill(-npm.pid, 'SIGTERM');
const [code] = await ended;
console.log(`npm start: ${response.status} with ${products.length} products, exit code ${code}`);
exit(response.status === 200 && products.length > 100 && code === 0 ? 0 : 1);

async function printing(pattern) {
  for (;;) {
    const match = pattern.exec(printed.join(''));
    if (match) return match;
    await Promise.race([once(npm.stdout, 'data'), ended.then(fail)]);
  }
}

function fail() {
  throw new Error(`npm start ended:\n${printed.join('')}`);
}
