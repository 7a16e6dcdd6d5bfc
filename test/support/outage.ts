import { setTimeout as sleep } from 'node:timers/promises';
import type { Needs } from './customer-calls.js';
import type { CustomerLoad, Sample } from './customer-load.js';
import { BEGUN, LONG, type OutageBench } from './outage-bench.js';
import { type KindReport, table } from './outage-report.js';

/** Whoever calls so many milliseconds after the end of an outage, or later, is answered as usual. */
const RECOVERY_MS = 5000;
/** So long is waited to see that; a machine that is busy with other things has time to show it. */
const PATIENCE_MS = 20_000;
/** What a call may take besides what is documented, what it usually takes, and what the machine's other work costs. */
const MARGIN_MS = 2000;
/** Calls that need nothing take less on average, however busy the machine is. */
const MEDIAN_MS = 1000;
/** Answers of each kind in a row that show that nothing is wrong. */
const ENOUGH = 2;

/** Something that happens to a server, and what it may do to callers. */
export interface Outage {
  begin(): unknown;
  /** Resolves when nothing is in the way any more. */
  end(): unknown;
  /** Milliseconds from the one to the other. */
  lasts: number;
  /** Outcomes besides the usual one. */
  may?: Partial<Record<Needs, readonly string[]>>;
  /** The longest that calls wait for a server, in milliseconds. */
  waits?: Partial<Record<Needs, number>>;
  /** What must be seen, or else there was no outage: kinds of calls with an outcome. */
  shows?: readonly (readonly [kind: string, outcome: string])[];
}

/** Has the outage happen under the load. @throws if it is anything that it must not be */
export async function play(name: string, bench: OutageBench, outage: Outage): Promise<void> {
  const { load } = bench;
  const first = performance.now();
  const before = await waitForAll(load, 0);
  const finish = await bench.beginDownload();
  const begun = performance.now();
  await outage.begin();
  const finished = finish();
  await sleep(outage.lasts);
  await outage.end();
  const ended = performance.now();
  await finished;
  const after = await waitForAll(load, ended);
  // What began in the outage before may end in this one.
  const samples = load.samples.filter((sample) => sample.begun >= first);
  const during = samples.filter((sample) => sample.ended >= begun && sample.begun <= ended);
  const usual = load.samples.filter((sample) => sample.ended < begun && isUsual(sample));
  const report = [...kindsOf(load), BEGUN].map((kind) => reportOf(kind, samples, during, ended));
  const faults = [
    ...[...before, ...after].map((kind) => `${kind} was not answered as usual for ${PATIENCE_MS} ms`),
    ...samples.flatMap((sample) => faultsOf(sample, outage, { begun, ended })),
    ...tooLong(usual, during, outage),
    ...kindsOf(load, 'nothing', 'count')
      .filter((kind) => median(during, kind) > MEDIAN_MS)
      .map((kind) => `${kind} is slow`),
    ...unseen(report, outage),
  ];
  if (LONG || faults.length) process.stderr.write(`\n${name}\n${table(report)}\n`);
  expect([...new Set(faults)]).toEqual([]);
}

/** Waits until each kind of call that began after `since` is answered as usual. @returns those that are not */
async function waitForAll(load: CustomerLoad, since: number): Promise<string[]> {
  const isWell = (kind: string) => {
    const later = load.samples.filter((sample) => sample.kind.name === kind && sample.begun >= since);
    return later.length >= ENOUGH && later.slice(-ENOUGH).every(isUsual);
  };
  const deadline = performance.now() + PATIENCE_MS;
  for (; ; await sleep(50)) {
    const unwell = kindsOf(load).filter((kind) => !isWell(kind));
    if (!unwell.length || performance.now() > deadline) return unwell;
  }
}

function faultsOf(sample: Sample, outage: Outage, time: { begun: number; ended: number }): string[] {
  if (isUsual(sample)) return [];
  const { kind, outcome, begun, ended } = sample;
  if (ended < time.begun) return [`${kind.name}: ${outcome} before the outage`];
  if (begun > time.ended + RECOVERY_MS) return [`${kind.name}: ${outcome}, ${RECOVERY_MS} ms after the outage`];
  const may = outage.may?.[kind.needs] ?? [];
  return may.includes(outcome) ? [] : [`${kind.name}: ${outcome}, which is not documented`];
}

/** Calls that waited longer than is documented. What needs nothing shows how busy the machine is with other things. */
function tooLong(usual: readonly Sample[], during: readonly Sample[], { waits = {} }: Outage): string[] {
  const lag = longest(during.filter(({ kind }) => kind.needs === 'nothing'));
  return during.flatMap((sample) => {
    const { name, needs } = sample.kind;
    const own = longest(usual.filter(({ kind }) => kind.name === name));
    // How long a complete answer takes of a kind that nobody has seen yet is nothing to go by.
    if (!own && isUsual(sample)) return [];
    const most = Math.round((waits[needs] ?? 0) + own + 2 * lag + MARGIN_MS);
    return took(sample) > most ? [`${name}: ${sample.outcome} in ${Math.round(took(sample))} ms, not ${most}`] : [];
  });
}

function unseen(report: readonly KindReport[], { shows = [] }: Outage): string[] {
  const seen = (name: string, outcome: string) => report.find(({ kind }) => kind === name)?.outcomes[outcome];
  return shows
    .filter(([kind, outcome]) => !seen(kind, outcome))
    .map(([kind, outcome]) => `${kind}: no ${outcome} seen`);
}

function reportOf(kind: string, samples: readonly Sample[], during: readonly Sample[], ended: number): KindReport {
  const own = during.filter((sample) => sample.kind.name === kind);
  const outcomes: Record<string, number> = {};
  for (const { outcome } of own) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const late = samples.filter((sample) => sample.kind.name === kind && sample.begun > ended && !isUsual(sample));
  const recovery = Math.max(0, ...late.map((sample) => sample.begun - ended));
  return { kind, outcomes, median: median(during, kind), longest: longest(own), recovery };
}

const isUsual = ({ kind, outcome }: Sample) => outcome === String(kind.status);
const took = ({ begun, ended }: Sample) => ended - begun;
const longest = (samples: readonly Sample[]) => Math.max(0, ...samples.map(took));

function median(samples: readonly Sample[], kind: string): number {
  const times = samples.filter((sample) => sample.kind.name === kind).map(took);
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
}

function kindsOf({ kinds }: CustomerLoad, ...needs: Needs[]): string[] {
  return [...new Set(kinds.filter((kind) => !needs.length || needs.includes(kind.needs)).map(({ name }) => name))];
}
