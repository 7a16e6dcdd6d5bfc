// Runs a command with BASE_URL set to a proxy of it that cuts the first answer with each of the data off in the middle.
// What it cuts ends as quietly as can be: only the end of the chunks is missing. Node 20 or later, without packages.
import { spawn } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

const { BASE_URL } = process.env;
const [command, ...args] = process.argv.slice(2);
if (!command) throw new Error('Usage: node cut.mjs COMMAND…, with BASE_URL in the environment');
const uncut = new Set(['/products', '/prices', '/stock']);

const proxy = createServer((request, response) => {
  const { method, url, headers } = request;
  const send = BASE_URL.startsWith('https:') ? httpsRequest : httpRequest;
  const options = { method, headers: { ...headers, host: new URL(BASE_URL).host, connection: 'close' } };
  const forwarded = send(BASE_URL + url, options, async (answer) => {
    const body = Buffer.concat(await answer.toArray());
    const cut = answer.statusCode === 200 && uncut.delete(url);
    response.writeHead(answer.statusCode, answer.rawHeaders);
    if (cut) response.write(body.subarray(0, body.length / 2), () => response.socket.end());
    else response.end(body);
  });
  forwarded.on('error', () => response.destroy());
  request.pipe(forwarded);
});

proxy.listen(0, '127.0.0.1', () => {
  const env = { ...process.env, BASE_URL: `http://127.0.0.1:${proxy.address().port}` };
  spawn(command, args, { env, stdio: 'inherit' }).on('close', (code) => process.exit(code));
});
