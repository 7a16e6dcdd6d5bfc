import { setTimeout as sleep } from 'node:timers/promises';
import type { Needs } from './customer-calls.js';
import type { CustomerLoad, Sample } from './customer-load.js';
import { OPEN_DOWNLOAD, LONG, type OutageBench } from './outage-bench.js';
import { type KindReport, table } from './outage-report.js';

/** This many milliseconds after an outage, every request returns its usual response again. */
const RECOVERY_MS = 5000;
/** How long the test waits for the usual responses, in milliseconds. A busy machine needs more than `RECOVERY_MS`. */
const PATIENCE_MS = 20_000;
/**
 * Milliseconds that a request may take in addition to the documented wait, its usual duration and the delay of a busy
 * machine.
 */
const MARGIN_MS = 2000;
/** The median of requests that need no server is below this, in milliseconds, however busy the machine is. */
const MEDIAN_MS = 1000;
/** The number of consecutive usual responses of each kind that prove recovery. */
const ENOUGH = 2;

/** A fault of a server, and its permitted effects on requests. */
export interface Outage {
  begin(): unknown;
  /** Resolves when the fault has ended. */
  end(): unknown;
  /** Milliseconds between `begin` and `end`. */
  lasts: number;
  /** Permitted outcomes besides the usual one. */
  may?: Partial<Record<Needs, readonly string[]>>;
  /** The longest time in milliseconds that requests wait for a server. */
  waits?: Partial<Record<Needs, number>>;
  /** Requests and outcomes that must occur, or the outage had no effect. */
  shows?: readonly (readonly [kind: string, outcome: string])[];
}

/**
 * Runs the outage under the load.
 * @throws if it has effects that are not permitted
 */
export async function play(name: string, bench: OutageBench, outage: Outage): Promise<void> {
  const { load } = bench;
  const first = performance.now();
  const before = await waitForAll(load, 0);
  const finish = await bench.beginDownload();
  const startedAt = performance.now();
  await outage.begin();
  const finished = finish();
  await sleep(outage.lasts);
  await outage.end();
  const endedAt = performance.now();
  await finished;
  const after = await waitForAll(load, endedAt);
  // Requests of the previous outage may end in this one, and do not count.
  const samples = load.samples.filter((sample) => sample.startedAt >= first);
  const during = samples.filter((sample) => sample.endedAt >= startedAt && sample.startedAt <= endedAt);
  const usual = load.samples.filter((sample) => sample.endedAt < startedAt && isUsual(sample));
  const report = [...kindsOf(load), OPEN_DOWNLOAD].map((kind) => reportOf(kind, samples, during, endedAt));
  const faults = [
    ...[...before, ...after].map((kind) => `${kind} did not return its usual response for ${PATIENCE_MS} ms`),
    ...samples.flatMap((sample) => faultsOf(sample, outage, { startedAt, endedAt })),
    ...tooLong(usual, during, outage),
    ...kindsOf(load, 'nothing', 'count')
      .filter((kind) => median(during, kind) > MEDIAN_MS)
      .map((kind) => `${kind} is slow`),
    ...unseen(report, outage),
  ];
  if (LONG || faults.length) process.stderr.write(`\n${name}\n${table(report)}\n`);
  expect([...new Set(faults)]).toEqual([]);
}

/**
 * Waits until each kind of request started after `since` returns its usual response.
 * @returns the kinds that do not
 */
async function waitForAll(load: CustomerLoad, since: number): Promise<string[]> {
  const hasRecovered = (kind: string) => {
    const later = load.samples.filter((sample) => sample.kind.name === kind && sample.startedAt >= since);
    return later.length >= ENOUGH && later.slice(-ENOUGH).every(isUsual);
  };
  const deadline = performance.now() + PATIENCE_MS;
  for (; ; await sleep(50)) {
    const failing = kindsOf(load).filter((kind) => !hasRecovered(kind));
    if (!failing.length || performance.now() > deadline) return failing;
  }
}

function faultsOf(sample: Sample, outage: Outage, time: { startedAt: number; endedAt: number }): string[] {
  if (isUsual(sample)) return [];
  const { kind, outcome, startedAt, endedAt } = sample;
  if (endedAt < time.startedAt) return [`${kind.name}: ${outcome} before the outage`];
  if (startedAt > time.endedAt + RECOVERY_MS) return [`${kind.name}: ${outcome}, ${RECOVERY_MS} ms after the outage`];
  const may = outage.may?.[kind.needs] ?? [];
  return may.includes(outcome) ? [] : [`${kind.name}: ${outcome}, which is not documented`];
}

/** Requests that waited longer than documented. Requests that need no server show how busy the machine is. */
function tooLong(usual: readonly Sample[], during: readonly Sample[], { waits = {} }: Outage): string[] {
  const lag = longest(during.filter(({ kind }) => kind.needs === 'nothing'));
  return during.flatMap((sample) => {
    const { name, needs } = sample.kind;
    const own = longest(usual.filter(({ kind }) => kind.name === name));
    // Without an earlier response of this kind, its usual duration is unknown.
    if (!own && isUsual(sample)) return [];
    const most = Math.round((waits[needs] ?? 0) + own + 2 * lag + MARGIN_MS);
    return duration(sample) > most
      ? [`${name}: ${sample.outcome} in ${Math.round(duration(sample))} ms, not ${most}`]
      : [];
  });
}

function unseen(report: readonly KindReport[], { shows = [] }: Outage): string[] {
  const seen = (name: string, outcome: string) => report.find(({ kind }) => kind === name)?.outcomes[outcome];
  return shows
    .filter(([kind, outcome]) => !seen(kind, outcome))
    .map(([kind, outcome]) => `${kind}: no ${outcome} seen`);
}

function reportOf(kind: string, samples: readonly Sample[], during: readonly Sample[], endedAt: number): KindReport {
  const own = during.filter((sample) => sample.kind.name === kind);
  const outcomes: Record<string, number> = {};
  for (const { outcome } of own) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const late = samples.filter((sample) => sample.kind.name === kind && sample.startedAt > endedAt && !isUsual(sample));
  const recovery = Math.max(0, ...late.map((sample) => sample.startedAt - endedAt));
  return { kind, outcomes, median: median(during, kind), longest: longest(own), recovery };
}

const isUsual = ({ kind, outcome }: Sample) => outcome === String(kind.status);
const duration = ({ startedAt, endedAt }: Sample) => endedAt - startedAt;
const longest = (samples: readonly Sample[]) => Math.max(0, ...samples.map(duration));

function median(samples: readonly Sample[], kind: string): number {
  const times = samples.filter((sample) => sample.kind.name === kind).map(duration);
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
}

function kindsOf({ kinds }: CustomerLoad, ...needs: Needs[]): string[] {
  return [...new Set(kinds.filter((kind) => !needs.length || needs.includes(kind.needs)).map(({ name }) => name))];
}
