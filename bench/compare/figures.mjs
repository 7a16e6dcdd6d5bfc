// What a comparison shows of each request and command.

/** Each key of a sample: its name and unit in the table, and the factor that converts it to that unit. */
const MEASURED = {
  seconds: { measured: 'time, ms', factor: 1000 },
  firstByte: { measured: 'first byte, ms', factor: 1000 },
  cpu: { measured: 'CPU, ms', factor: 1000, coarse: true },
  databaseCpu: { measured: 'CPU of database, ms', factor: 1000, coarse: true },
  peak: { measured: 'peak memory, MB', factor: 1e-6 },
  rss: { measured: 'peak memory, MB', factor: 1e-6 },
};

/**
 * @typedef {object} Measured what one round measured of a request or command
 * @property {string} what
 * @property {string[]} keys the keys of the samples that the table shows
 * @property {object} [base] the sample of the base; undefined if the base lacks this
 * @property {object} now the sample of this checkout
 */

/**
 * @param {Measured[][]} rounds
 * @returns {{ what: string, measured?: string, series?: import('./ratios.mjs').Series }[]} a figure for each key, with
 *   its measurements by round; no series if the base lacks it
 */
export function figuresOf(rounds) {
  return rounds[0].flatMap(({ what, keys, base }, index) => {
    if (!base) return [{ what }];
    const samples = rounds.map((round) => round[index]);
    return keys.map((key) => figureOf(what, key, samples));
  });
}

function figureOf(what, key, samples) {
  const { measured, factor, coarse } = MEASURED[key];
  const series = (side) => samples.map((sample) => sample[side][key] * factor);
  return { what, measured, series: { base: series('base'), now: series('now'), coarse } };
}
