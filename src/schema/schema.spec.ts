import { Field, Computed, Nested, HiddenField } from '../resource/field.decorator.js';
import { API_PROFILE } from '../http/api-profile.js';
import { schemaOf, schemaType } from './schema.js';

test.each([
  ['varchar', 'string'],
  ['char', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['integer', 'integer'],
  ['smallint', 'integer'],
  ['bigint', 'integer'],
  ['decimal', 'decimal'],
  ['numeric', 'decimal'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['date', 'date'],
  ['datetime', 'datetime'],
  ['timestamp', 'datetime'],
  ['VARCHAR', 'string'],
  ['Decimal', 'decimal'],
  // An unknown type falls back to its own name in lower case (interface §2.9).
  ['GEOMETRY', 'geometry'],
  ['Uuid', 'uuid'],
  ['json', 'json'],
  ['constructor', 'constructor'],
])('column type %s has schema type %s', (columnType, type) => {
  expect(schemaType(columnType)).toBe(type);
});

const ANY = { description: 'Any.', example: 'x' };

class Part {
  @HiddenField({ type: 'varchar', length: 64, primary: true }) SKU!: string;
  // Fields of array elements are never required.
  @Field({ type: 'varchar', length: 64, primary: true, required: true, ...ANY }) PartCode!: string;
}

class Thing {
  @Field({ type: 'varchar', length: 64, primary: true, required: true, ...ANY }) SKU!: string;
  @Field({ type: 'decimal', precision: 14, scale: 4, ...ANY }) MOQ!: string;
  @HiddenField({ type: 'decimal', precision: 14, scale: 4 }) ListPrice!: string;
  @Field({ type: 'varchar', length: 64, nullable: false, ...ANY }) HSCode!: string;
  @Field({ type: 'int', ...ANY }) PackagedLength_in_cm!: number;
  @Computed({ type: 'date', ...ANY, value: () => null }) Day!: string;
  @Nested(Part, 'PartCode') SpareParts!: Part[];
}

test('a schema lists the returned fields in order of declaration, then the arrays', () => {
  expect(schemaOf('/things', Thing)).toEqual({
    endpoint: '/things',
    apiVersion: '2026-04',
    fields: [
      { name: 'sKU', type: 'string', required: true, wireName: 'SKU' },
      { name: 'mOQ', type: 'decimal', required: false, wireName: 'MOQ' },
      // A field that only the database requires is not required in the schema (interface §2.9).
      { name: 'hSCode', type: 'string', required: false, wireName: 'HSCode' },
      { name: 'packagedLength_in_cm', type: 'integer', required: false, wireName: 'PackagedLength_in_cm' },
      { name: 'day', type: 'date', required: false, wireName: 'Day' },
    ],
    arrays: {
      spareParts: {
        wireName: 'SpareParts',
        fields: [{ name: 'partCode', type: 'string', required: false, wireName: 'PartCode' }],
      },
    },
  });
});

test('the schema of a resource without nested arrays has no key "arrays"', () => {
  expect(Object.keys(schemaOf('/parts', Part))).toEqual(['endpoint', 'apiVersion', 'fields']);
});

test('the API profile is a year and a month', () => {
  expect(API_PROFILE).toMatch(/^\d{4}-(0[1-9]|1[0-2])$/);
});
