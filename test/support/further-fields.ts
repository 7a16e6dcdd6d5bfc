// Examples of whole responses and outputs stay as they are when a nullable field or a nested array is added: clients
// ignore keys that they do not know, too (decision 13). The expected responses know every field (decision 145).

/** A JSON text without the members that are null or [], and the entries of a schema, that the known text does not have. */
export function withoutFurtherFields(text: string, known: string): string {
  return text
    .replaceAll(/,"(\w+)":(?:null|\[\])(?=[,}])/g, (member, key) => (known.includes(`"${key}":`) ? member : ''))
    .replaceAll(/,"(\w+)":\{"wireName":"\w+","fields":\[[^\]]*\]\}/g, (array, key) =>
      known.includes(`"${key}":`) ? array : '',
    )
    .replaceAll(/,\{"name":"(\w+)",[^}]*\}/g, (entry, name) => (known.includes(`"name":"${name}"`) ? entry : ''));
}

/** CSV lines without quotes, cut to so many columns. */
export function withoutFurtherColumns(text: string, columns: number): string {
  return text.replaceAll(/^[^\r\n]+/gm, (line) => line.split(',').slice(0, columns).join());
}

/** What an import prints, without the lines that name absent columns. */
export function withoutAbsentColumns(printed: string): string {
  return printed.replaceAll(/^\w+: the file has no .*\n/gm, '');
}
