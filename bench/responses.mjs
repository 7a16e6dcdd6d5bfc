// The cost of responses over HTTP, each compared with its yardstick: the aims P1 to P9 and P14.
import { measureFirstBytes } from './responses/first-bytes.mjs';
import { measureFullResponses } from './responses/full-responses.mjs';
import { measureCached } from './responses/cached.mjs';
import { measureSlowClients } from './responses/slow-clients.mjs';
import { measureRate, measureWaiting } from './responses/small-requests.mjs';
import { onStage } from './responses/stage.mjs';
import { countStatements } from './responses/statements.mjs';
import { measureUnchanged } from './responses/unchanged.mjs';
import { warnOfLoad } from './machine.mjs';
import { report, reportRows } from './report.mjs';
import { saveResults } from './results.mjs';
import { withServer } from './server.mjs';

/** The sections with their durations: in a full run, and in a quick run. */
const SECTIONS = [
  [measureFullResponses, { rounds: 15, typeormRounds: 2 }, { rounds: 5, typeormRounds: 1 }],
  [measureCached, { rounds: 15 }, { rounds: 5 }],
  [measureUnchanged, { rounds: 3 }, { rounds: 1 }],
  [countStatements, {}, {}],
  [measureFirstBytes, { rounds: 25 }, { rounds: 15 }],
  [measureSlowClients, { rounds: 3, seconds: 8 }, { rounds: 1, seconds: 4 }],
  [measureWaiting, { rounds: 3, seconds: 5 }, { rounds: 1, seconds: 4 }],
  [measureRate, { rounds: 5, seconds: 4 }, { rounds: 3, seconds: 1 }],
];

/** @param {{ quick: boolean, folder: string }} options */
export async function measureResponses({ quick, folder }) {
  const load = warnOfLoad();
  await withServer((server) =>
    onStage(server, quick ? 'Q' : 'L', folder, async (stage) => {
      const { rows, aims } = await measureSections(stage, quick);
      reportRows(rows);
      for (const { aim, what, figure, ...limit } of aims) report(`${aim}, ${what}`, figure, limit);
      await saveResults(server, quick, { load, rows, aims });
    }),
  );
}

async function measureSections(stage, quick) {
  const found = [];
  for (const [measure, full, brief] of SECTIONS) found.push(await measure(stage, quick ? brief : full));
  return {
    rows: Object.assign({}, ...found.map(({ rows }) => rows)),
    aims: found.flatMap(({ aims }) => aims).toSorted((a, b) => a.aim.localeCompare(b.aim)),
  };
}
