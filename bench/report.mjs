// Prints figures and compares them with their aims.

/** The middle value, or the mean of the two middle values. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2;
}

/** Prints a table of figures with three significant digits. Unknown figures stay empty. */
export function reportRows(rows) {
  console.table(Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, legible(row)])));
}

function legible(row) {
  const known = Object.entries(row).filter(([, figure]) => Number.isFinite(figure));
  return Object.fromEntries(known.map(([name, figure]) => [name, Number(figure.toPrecision(3))]));
}

/**
 * Prints a figure and, if it has an aim, whether the aim is met.
 * @param {{ least?: number, most?: number, unit?: string }} [aim]
 */
export function report(what, figure, aim = {}) {
  const limit = limitOf(aim);
  console.log(`${what}: ${amount(figure, aim.unit)}${limit && `; aim: ${limit}: ${verdict(figure, aim)}`}`);
}

export function verdict(figure, { least = -Infinity, most = Infinity }) {
  return figure >= least && figure <= most ? 'met' : 'MISSED';
}

/** The limit of an aim in words; empty if it has none. */
export function limitOf({ least, most, unit }) {
  if (least !== undefined) return `at least ${amount(least, unit)}`;
  return most === undefined ? '' : `at most ${amount(most, unit)}`;
}

/** A figure with three significant digits, and its unit if it has one. */
export function amount(figure, unit) {
  return [Number(figure.toPrecision(3)), unit].filter((part) => part !== undefined).join(' ');
}
