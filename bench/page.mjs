// Pages that contain the tables of benchmarks.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

/** @param benchmark the benchmark that writes the tables @param {Record<string, string>} tables by their names */
export function printTables(benchmark, tables) {
  for (const [name, text] of Object.entries(tables))
    console.log(`${begin(benchmark, name)}\n\n${text}\n\n${end(benchmark)}\n`);
}

/** Replaces each table of a page that stands between the comments of its name. @throws if a comment is missing */
export async function writeTables(path, benchmark, tables) {
  const page = Object.entries(tables).reduce(
    (text, [name, content]) => {
      const [before, after] = [begin(benchmark, name), end(benchmark)];
      const from = text.indexOf(before);
      const to = text.indexOf(after, from);
      if (from < 0 || to < 0) throw new Error(`${path} lacks the comments ${before} and ${after}`);
      return `${text.slice(0, from)}${before}\n\n${content}\n\n${text.slice(to)}`;
    },
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, await format(page, { ...(await resolveConfig(path)), filepath: path }));
}

const begin = (benchmark, name) => `<!-- bench ${benchmark}: ${name} -->`;
const end = (benchmark) => `<!-- end of bench ${benchmark} -->`;
