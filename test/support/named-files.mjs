// node named-files.mjs FOLDER ENTRY...: prints each file that the code of the entries loads by a name in its text, with
// the files that those load, relative to the folder. Jest would transform the tracer and take ten times as long.
import { argv } from 'node:process';
import { resolve } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';

const [, , base, ...entries] = argv;
const { fileList } = await nodeFileTrace(
  entries.map((entry) => resolve(base, entry)),
  { base, processCwd: base },
);
console.log([...fileList].join('\n'));
