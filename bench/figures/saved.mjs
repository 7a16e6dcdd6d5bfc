// The results in bench/results/.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The servers in the order of the documentation. */
export const ENGINES = ['mariadb', 'mysql'];

export const fileOf = (engine) => join(import.meta.dirname, `../results/${engine}.json`);

/** @returns {object[]} the results of a server: one for each benchmark and major version of Node, see `saveResults` */
export const resultsOf = (engine) =>
  existsSync(fileOf(engine)) ? JSON.parse(readFileSync(fileOf(engine), 'utf8')) : [];

/** The results that the chart of a server shows: those of the newest version of Node. */
export const chartedOf = (engine) => resultsOf(engine).findLast(({ benchmark }) => benchmark === 'responses');
