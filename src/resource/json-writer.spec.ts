import { ProductPrice } from '../pricing/product-price.entity.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Row } from '../database/query.js';
import { Field, Computed, type FieldType, Nested, type Resource, HiddenField } from './field.decorator.js';
import { jsonWriter } from './json-writer.js';

const ANY = { description: 'Any.', example: 'x' };
const TERMS: CustomerTerms = Object.freeze({ priceList: null, warehouseCode: 'W', discountPercentage: '0' });

class Part {
  @HiddenField({ type: 'varchar', length: 64, primary: true }) SKU!: string;
  @Field({ type: 'varchar', length: 64, primary: true, ...ANY }) PartCode!: string;
  @Field({ type: 'boolean', ...ANY }) Spare!: boolean | null;
}

class Thing {
  @Field({ type: 'varchar', length: 64, primary: true, ...ANY }) Zeta!: string;
  @Nested(Part, 'PartCode') Parts!: Part[];
  @HiddenField({ type: 'decimal', precision: 18, scale: 4 }) Secret!: string;
  @Field({ type: 'int', ...ANY }) Alpha!: number | null;
  @Computed({ type: 'varchar', ...ANY, value: (row, terms) => `${row.Zeta}@${terms.warehouseCode}` }) Where!: string;
  @Field({ type: 'varchar', length: 9, ...ANY, value: () => undefined }) Gone!: string | null;
}

const thing = jsonWriter(Thing);

test('an element has its keys in order of declaration, then its arrays, and no hidden fields', () => {
  const row: Row = { Secret: '1', Alpha: 2, Parts: [{ Spare: 1, PartCode: 'P', SKU: 'Z' }], other: 'x', Zeta: 'Z' };
  expect(thing(row, TERMS)).toBe(
    '{"Zeta":"Z","Alpha":2,"Where":"Z@W","Gone":null,"Parts":[{"PartCode":"P","Spare":true}]}',
  );
});

test('a missing value is null, and an array without elements is [] (decision 1)', () => {
  expect(thing({ Zeta: 'Z' }, TERMS)).toBe('{"Zeta":"Z","Alpha":null,"Where":"Z@W","Gone":null,"Parts":[]}');
  expect(thing({ Zeta: 'Z', Alpha: null, Parts: [] }, TERMS)).toBe(thing({ Zeta: 'Z' }, TERMS));
});

test('elements of an array keep their order and have every key', () => {
  const Parts = [{ PartCode: 'b', Spare: 0 }, { PartCode: 'a' }];
  expect(thing({ Zeta: 'Z', Parts }, TERMS)).toContain(
    '"Parts":[{"PartCode":"b","Spare":false},{"PartCode":"a","Spare":null}]',
  );
});

const sample = (type: FieldType, fixedScale?: number): Resource => {
  class Sample {
    @Computed({ type, fixedScale, ...ANY, value: ({ Cell }) => Cell }) Cell!: unknown;
  }
  return Sample;
};

const WITH_ESCAPES = '"quoted" \\ back\\slash\n\r\t\u0000 \u2028 😀 é';

test.each<[FieldType, unknown, string]>([
  ['varchar', 'plain', '"plain"'],
  ['varchar', '', '""'],
  ['varchar', '00123', '"00123"'],
  // A driver may return digits as a number. The JSON type must not change.
  ['varchar', 123, '"123"'],
  ['varchar', WITH_ESCAPES, JSON.stringify(WITH_ESCAPES)],
  ['text', WITH_ESCAPES, JSON.stringify(WITH_ESCAPES)],
  ['int', 24, '24'],
  ['int', '24', '24'],
  ['int', 0, '0'],
  ['int', -3, '-3'],
  ['decimal', '12.5000', '12.5'],
  ['decimal', '12.0000', '12'],
  ['decimal', '-0.0000', '0'],
  ['decimal', '99999999999999.9999', '99999999999999.9999'],
  ['decimal', 12.5, '12.5'],
  ['boolean', true, 'true'],
  ['boolean', 1, 'true'],
  ['boolean', false, 'false'],
  ['boolean', 0, 'false'],
  ['date', '2027-01-15', '"2027-01-15"'],
  ['date', '2028-02-29', '"2028-02-29"'],
  ['datetime', new Date(Date.UTC(2027, 0, 15, 23, 30, 0, 5)), '"2027-01-15T23:30:00.005Z"'],
  ['datetime', '2027-01-15T23:30:00.005Z', '"2027-01-15T23:30:00.005Z"'],
  ['datetime', '2027-01-16T00:30:00+01:00', '"2027-01-15T23:30:00.000Z"'],
  // SQLite returns UTC without a time zone. This case can fail only if the process uses another time zone (TZ=…).
  ['datetime', '2027-01-15 23:30:00.005', '"2027-01-15T23:30:00.005Z"'],
])('the type %s writes %p as %s', (type, stored, json) => {
  expect(jsonWriter(sample(type))({ Cell: stored }, TERMS)).toBe(`{"Cell":${json}}`);
});

/** Values that other programs can store: MySQL without strict mode, or SQLite, which accepts any value in a column. */
test.each<[FieldType, unknown]>([
  ['date', '0000-00-00'],
  ['date', '2013-03-00'],
  ['date', '2013-00-10'],
  ['date', '2026-02-31'],
  ['date', '2027-02-29'],
  ['date', '1900-02-29'],
  ['date', '2026-13-01'],
  ['date', '0000-01-01'],
  ['date', '2027-1-5'],
  ['date', '2027-01-15T00:00:00Z'],
  ['date', '12.03.2027'],
  ['date', ''],
  ['date', 20_270_115],
  ['datetime', new Date(NaN)],
  ['datetime', '0000-00-00 00:00:00'],
  ['datetime', '2026-02-31 10:00:00'],
  ['datetime', '2027-01-15 25:00:00'],
  ['datetime', 'yesterday'],
  ['datetime', ''],
])('the type %s writes the invalid value %p as null (decision 124)', (type, stored) => {
  expect(jsonWriter(sample(type))({ Cell: stored }, TERMS)).toBe('{"Cell":null}');
});

test('a decimal with a fixed scale has all of its digits', () => {
  expect(jsonWriter(sample('decimal', 4))({ Cell: '19.95' }, TERMS)).toBe('{"Cell":19.9500}');
});

test.each<[FieldType, unknown]>([
  ['int', '2.5'],
  ['int', 'many'],
  ['int', NaN],
  ['decimal', '1,5'],
  ['decimal', ''],
  ['decimal', 1e21],
  ['decimal', 1e-7],
  ['decimal', Infinity],
  ['boolean', 2],
  ['boolean', -1],
  ['boolean', '1'],
  ['boolean', 'true'],
  ['boolean', ''],
  ['boolean', Buffer.from([1])],
  ['date', new Date(0)],
])('the type %s rejects %p with an error that names resource, SKU and field', (type, stored) => {
  expect(() => jsonWriter(sample(type))({ SKU: 'PIR-1', Cell: stored }, TERMS)).toThrow(
    `Sample PIR-1: Cell does not hold a ${type}`,
  );
});

test('the error of a damaged nested element names that element', () => {
  const Parts = [{ SKU: 'PIR-1', PartCode: 'b', Spare: 7 }];
  expect(() => thing({ Zeta: 'Z', Parts }, TERMS)).toThrow('Part PIR-1: Spare does not hold a boolean');
});

const termsOf = (code: string, discountPercentage: string) =>
  ({ priceList: { code, name: `List ${code}`, currencyCode: 'EUR' }, discountPercentage }) as CustomerTerms;

test('a writer writes the terms of the current customer when customers alternate', () => {
  const write = jsonWriter(ProductPrice);
  const row = { SKU: 'P', Price: '10.0000', DiscountEligible: 1, MOQ: null, OrderMultiple: null };
  const [one, other] = [termsOf('A', '10'), termsOf('B', '20')];
  for (const [terms, code, net] of [
    [one, 'A', 9],
    [other, 'B', 8],
    [one, 'A', 9],
    [{ ...other }, 'B', 8],
  ] as const)
    expect(JSON.parse(write(row, terms))).toMatchObject({
      PriceListCode: code,
      PriceListName: `List ${code}`,
      PriceExclVAT: net,
    });
});
