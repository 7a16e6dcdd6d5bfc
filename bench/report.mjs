// How figures are summed up and held against their aims.

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/**
 * Prints a figure, and whether it is within its aim, if it has one.
 * @param {{ least?: number, most?: number }} [aim]
 */
export function report(what, figure, aim) {
  const text = `${what}: ${Number(figure.toPrecision(3))}`;
  if (!aim) return console.log(text);
  const { least = -Infinity, most = Infinity } = aim;
  const verdict = figure >= least && figure <= most ? 'met' : 'MISSED';
  console.log(`${text}; aim: at ${aim.least === undefined ? `most ${most}` : `least ${least}`}: ${verdict}`);
}
