// npm run test:audit [-- NPM_OPTION...]: fails if a package of the image has a known vulnerability that is high or
// critical. It needs a registry that has advisories. Without one, it prints a line that starts with NOT RUN. With
// REQUIRE_AUDIT=1 that is an error.
import { spawnSync } from 'node:child_process';
import { argv, env, exit } from 'node:process';

const options = ['--omit=dev', '--json', ...argv.slice(2)];
const { stdout, stderr } = spawnSync('npm', ['audit', ...options], { encoding: 'utf8', maxBuffer: 1e8 });
const { metadata, vulnerabilities, message } = JSON.parse(stdout || '{}');

if (!metadata) {
  console.error(`NOT RUN: the audit of packages: ${message ?? stderr.trim()}`);
  exit(env.REQUIRE_AUDIT === '1' ? 1 : 0);
}
const found = Object.values(vulnerabilities).filter(({ severity }) => ['high', 'critical'].includes(severity));
for (const { name, severity, range, via, fixAvailable } of found) {
  const reasons = via.map((reason) => (typeof reason === 'string' ? reason : `${reason.title} (${reason.url})`));
  console.error(
    `${name} ${range}: ${severity}: ${reasons.join('; ')}. ${fixAvailable ? 'Run npm audit fix' : 'No fix yet'}.`,
  );
}
console.log(
  `${metadata.dependencies.prod} packages of the image, ${found.length} with a high or critical vulnerability.`,
);
exit(found.length ? 1 : 0);
