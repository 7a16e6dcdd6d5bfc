import { Field, columnsOf, Computed, fieldsOf, HiddenField } from './field.decorator.js';

const ANSWER = { description: 'Meaning.', example: 'x' };
const value = () => 'x';

// The compiler checks this file (`npm run lint`): a line below `@ts-expect-error` that compiles is an error.
/* oxlint-disable jest/expect-expect */
describe('wrong declarations do not compile', () => {
  test('a varchar without its length', () => {
    // @ts-expect-error length is missing
    HiddenField({ type: 'varchar' });
    // @ts-expect-error length is missing
    Field({ type: 'varchar', ...ANSWER });
    // @ts-expect-error length is missing
    HiddenField({ type: 'varchar', primary: true });
  });

  test('a decimal without precision and scale', () => {
    // @ts-expect-error scale is missing
    HiddenField({ type: 'decimal', precision: 18 });
    // @ts-expect-error precision is missing
    HiddenField({ type: 'decimal', scale: 4 });
    // @ts-expect-error both are missing
    Field({ type: 'decimal', min: 0, ...ANSWER });
  });

  test('a property of another type', () => {
    // @ts-expect-error a text has no length of its own
    HiddenField({ type: 'text', length: 64 });
    // @ts-expect-error an int has no scale
    HiddenField({ type: 'int', scale: 2 });
    // @ts-expect-error a date has no bounds
    HiddenField({ type: 'date', min: 0 });
    // @ts-expect-error a datetime has no precision
    HiddenField({ type: 'datetime', precision: 3 });
    // @ts-expect-error a number has no pattern
    HiddenField({ type: 'int', pattern: { test: () => true, expected: 'x' } });
    // @ts-expect-error a text is no flag
    HiddenField({ type: 'text', onePer: 'SKU' });
    // @ts-expect-error only a decimal has a fixed scale
    Computed({ type: 'int', fixedScale: 4, ...ANSWER });
    // @ts-expect-error there is no such type
    HiddenField({ type: 'timestamp' });
  });

  test('a key of a type that engines order differently, or that may be null', () => {
    // @ts-expect-error a decimal is no key
    HiddenField({ type: 'decimal', precision: 18, scale: 4, primary: true });
    // @ts-expect-error a text is no key
    HiddenField({ type: 'text', primary: true });
    // @ts-expect-error a key is never null
    HiddenField({ type: 'varchar', length: 64, primary: true, nullable: true });
  });

  test('two sources of one value', () => {
    // @ts-expect-error value or fromScope
    Field({ type: 'text', ...ANSWER, value, fromScope: value });
    // @ts-expect-error value or fromScope
    Computed({ type: 'text', ...ANSWER, value, fromScope: value });
  });

  test('an returned field without its description', () => {
    // @ts-expect-error meaning and example are missing
    Field({ type: 'text' });
  });
});

test('columns and fields keep the order of their declaration', () => {
  class Sample {
    @HiddenField({ type: 'varchar', length: 64, primary: true })
    Code!: string;

    @Computed({ type: 'decimal', fixedScale: 4, ...ANSWER })
    Price!: string;

    @Field({ type: 'datetime', ...ANSWER })
    ChangedAt!: string | null;
  }
  expect(columnsOf(Sample).map(({ name }) => name)).toEqual(['Code', 'ChangedAt']);
  expect(fieldsOf(Sample).map(({ name }) => name)).toEqual(['Price', 'ChangedAt']);
});
