import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
  scripts: { start: string };
};

/** The options of Node with which `npm start` starts the service. */
export const START_OPTIONS = / node (.+) dist\/main\.js$/.exec(scripts.start)![1]!.split(' ');
