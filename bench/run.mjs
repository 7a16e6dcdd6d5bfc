// npm run bench: measures each figure beside its yardstick. Only ratios of one run on one machine are comparable.
import { parseArgs } from 'node:util';
import { measureResponses } from './responses.mjs';
import { measureChanges } from './changes.mjs';
import { measureCrowd } from './crowd.mjs';
import { SIZES } from './data-set.mjs';
import { measureFleet } from './fleet.mjs';
import { measureImport } from './import.mjs';
import { measureMetering } from './metering.mjs';
import { measureScale } from './scale.mjs';

const BENCHMARKS = {
  metering: measureMetering,
  import: measureImport,
  responses: measureResponses,
  changes: measureChanges,
  crowd: measureCrowd,
  fleet: measureFleet,
  scale: measureScale,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    size: { type: 'string' },
    terms: { type: 'string', default: '20' },
    changes: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const options = { ...values, terms: Number(values.terms), size: values.size ?? (values.quick ? 'M' : 'L') };
// `fleet` and `scale` have no targets, and `crowd` takes long, so they run only if an argument names them.
const names = positionals.length
  ? positionals
  : Object.keys(BENCHMARKS).filter((name) => !['crowd', 'fleet', 'scale'].includes(name));
const unknown = names.find((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown || !Object.hasOwn(SIZES, options.size)) {
  const sizes = Object.keys(SIZES).join('|');
  console.error(
    `Usage: npm run bench -- [${Object.keys(BENCHMARKS).join('|')}]... [--quick] [--size=${sizes}] [--terms=N] [--changes] [--write]`,
  );
  process.exit(1);
}
for (const name of names) await BENCHMARKS[name](options);
