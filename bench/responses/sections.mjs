// The sections of the benchmark of responses.
import { measureCached } from './cached.mjs';
import { measureChanges } from './changes.mjs';
import { measureFirstBytes } from './first-bytes.mjs';
import { measureFullResponses } from './full-responses.mjs';
import { measureManyClients } from './many-clients.mjs';
import { measureSlowClients } from './slow-clients.mjs';
import { measureRate, measureWaiting } from './small-requests.mjs';
import { onStage } from './stage.mjs';
import { countStatements } from './statements.mjs';
import { measureUnchanged } from './unchanged.mjs';

/** The sections with their durations: in a full run, and in a quick run. The last one changes the data sets. */
const SECTIONS = [
  [measureFullResponses, { rounds: 15, typeormRounds: 2 }, { rounds: 5, typeormRounds: 1 }],
  [measureCached, { rounds: 15 }, { rounds: 5 }],
  [measureUnchanged, { rounds: 3, repeatedRounds: 15 }, { rounds: 1, repeatedRounds: 5 }],
  [countStatements, {}, {}],
  [measureFirstBytes, { rounds: 25 }, { rounds: 15 }],
  [measureSlowClients, { rounds: 3, seconds: 5 }, { rounds: 1, seconds: 4 }],
  [measureManyClients, { rounds: 5 }, { rounds: 3 }],
  [measureWaiting, { rounds: 3, seconds: 4 }, { rounds: 1, seconds: 4 }],
  [measureRate, { rounds: 5, seconds: 2 }, { rounds: 3, seconds: 1 }],
  [measureChanges, { rounds: 15 }, { rounds: 5 }],
];

/**
 * @param {{ m: object, large: object, folder: string, quick: boolean }} options see `withDataSets`
 * @returns {Promise<{ rows: object, aims: object[] }>}
 */
export async function measureSections(server, { quick, ...dataSets }) {
  const found = [];
  await onStage(server, dataSets, async (stage) => {
    for (const [measure, full, brief] of SECTIONS) found.push(await measure(stage, quick ? brief : full));
  });
  return { rows: Object.assign({}, ...found.map(({ rows }) => rows)), aims: found.flatMap(({ aims }) => aims) };
}
