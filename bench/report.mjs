// Prints figures and compares them with their aims.

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
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
 * @param {{ least?: number, most?: number }} [aim]
 */
export function report(what, figure, aim) {
  const text = `${what}: ${Number(figure.toPrecision(3))}`;
  if (!aim) return console.log(text);
  const { least, most } = aim;
  console.log(`${text}; aim: at ${least === undefined ? `most ${most}` : `least ${least}`}: ${verdict(figure, aim)}`);
}

export function verdict(figure, { least = -Infinity, most = Infinity }) {
  return figure >= least && figure <= most ? 'met' : 'MISSED';
}
