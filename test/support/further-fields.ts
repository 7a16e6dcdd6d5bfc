// Examples of whole responses and outputs need no change when a nullable field or a nested array is added, because
// clients ignore unknown keys, too (decision 13). The expected responses contain every field (decision 145).

/** A JSON text without null or [] members, and without schema entries, that the known text does not contain. */
export function withoutFurtherFields(text: string, known: string): string {
  return text
    .replaceAll(/,"(\w+)":(?:null|\[\])(?=[,}])/g, (member, key) => (known.includes(`"${key}":`) ? member : ''))
    .replaceAll(/,"(\w+)":\{"wireName":"\w+","fields":\[[^\]]*\]\}/g, (array, key) =>
      known.includes(`"${key}":`) ? array : '',
    )
    .replaceAll(/,\{"name":"(\w+)",[^}]*\}/g, (entry, name) => (known.includes(`"name":"${name}"`) ? entry : ''));
}

/** CSV lines without quotes, reduced to the first columns. */
export function withoutFurtherColumns(text: string, columns: number): string {
  return text.replaceAll(/^[^\r\n]+/gm, (line) => line.split(',').slice(0, columns).join());
}

/** The output of an import without the lines about absent columns. */
export function withoutAbsentColumns(printed: string): string {
  return printed.replaceAll(/^\w+: the file has no .*\n/gm, '');
}
