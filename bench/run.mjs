// npm run bench: measures each figure beside its yardstick. Only ratios of one run on one machine are comparable.
import { parseArgs } from 'node:util';
import { measureResponses } from './responses.mjs';
import { measureCompare } from './compare.mjs';
import { measureCrowd } from './crowd.mjs';
import { ExpectedError } from './expected-error.mjs';
import { measureFleet } from './fleet.mjs';
import { withFolder } from './folder.mjs';
import { measureImport } from './import.mjs';
import { warnOfLoad } from './machine.mjs';
import { measureMetering } from './metering.mjs';
import { nodePrograms } from './nodes.mjs';
import { measureScale } from './scale.mjs';

const BENCHMARKS = {
  metering: measureMetering,
  import: measureImport,
  responses: measureResponses,
  crowd: measureCrowd,
  fleet: measureFleet,
  scale: measureScale,
};

/** `fleet` and `scale` have no targets, and `crowd` takes long, so they run only if an argument names them. */
const BY_DEFAULT = ['metering', 'import', 'responses'];
/** The data sets of `import`. */
const SIZES = ['M', 'Q', 'L'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    size: { type: 'string' },
    terms: { type: 'string', default: '20' },
    changes: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [] },
  },
});
const options = { ...values, terms: Number(values.terms), size: values.size ?? (values.quick ? 'M' : 'L') };
const comparing = positionals[0] === 'compare' && positionals.length <= 2;
const names = positionals.length ? positionals : BY_DEFAULT;
if (!comparing && (!names.every((name) => Object.hasOwn(BENCHMARKS, name)) || !SIZES.includes(options.size))) {
  console.error(`Usage: npm run bench -- [${Object.keys(BENCHMARKS).join('|')}]... [--quick] [--size=${SIZES.join('|')}]
                        [--node=VERSION|PATH]... [--terms=N] [--changes] [--write]
       npm run bench -- compare [COMMIT] [--quick]`);
  process.exit(1);
}
try {
  const nodes = nodePrograms(values.node);
  const load = await warnOfLoad();
  if (comparing) await withFolder((folder) => measureCompare({ ...options, folder }, positionals[1]));
  else for (const name of names) await withFolder((folder) => BENCHMARKS[name]({ ...options, nodes, load, folder }));
} catch (error) {
  console.error(error instanceof ExpectedError ? error.message : error);
  // Child processes may still run. The exit handlers stop them.
  process.exit(1);
}
