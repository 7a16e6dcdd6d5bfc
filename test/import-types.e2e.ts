import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORT_TABLES, type ImportTable } from '../src/import/import-tables.js';
import { Field, columnsOf, HiddenField } from '../src/resource/field.decorator.js';
import { engine, TestDatabase } from './support/test-service.js';

// Covers every column type, in a table that exists only in this test.

const ANY = { description: 'Sample.', example: 'x' };

class TypeSample {
  @HiddenField({ type: 'varchar', length: 64, primary: true }) Code!: string;
  @Field({ type: 'varchar', length: 10, ...ANY }) Short!: string | null;
  @Field({ type: 'text', ...ANY }) Prose!: string | null;
  @Field({ type: 'int', ...ANY }) Whole!: number | null;
  @Field({ type: 'decimal', precision: 18, scale: 4, ...ANY }) Exact!: string | null;
  @Field({ type: 'boolean', ...ANY }) Flag!: boolean | null;
  @Field({ type: 'date', ...ANY }) Day!: string | null;
  @Field({ type: 'datetime', ...ANY }) ChangedAt!: string | null;
}

const columns = columnsOf(TypeSample);
const table: ImportTable = {
  name: 'type_samples',
  entity: TypeSample,
  columns,
  part: null,
  inTerms: false,
  inDocument: false,
  key: ['Code'],
  references: {},
};

let database: TestDatabase;
beforeAll(async () => {
  (IMPORT_TABLES as ImportTable[]).push(table);
  database = await TestDatabase.create();
  const [decimal, date, datetime] =
    engine === 'sqlite' ? ['text', 'text', 'text'] : ['decimal(18,4)', 'date', 'datetime(3)'];
  await database.sql(`CREATE TABLE type_samples (Code varchar(64) NOT NULL PRIMARY KEY, Short varchar(10),
    Prose text, Whole int, Exact ${decimal}, Flag boolean, Day ${date}, ChangedAt ${datetime})`);
});
afterAll(() => database.drop());

const HEADER = 'Code,Short,Prose,Whole,Exact,Flag,Day,ChangedAt';

async function counts(text: string): Promise<unknown> {
  const folder = await database.files({ 'type_samples.csv': text });
  return JSON.parse(await database.cliOk('import', '--json', folder)).tables;
}

test('values of every type are imported, unchanged on the next import, and exported', async () => {
  const rows = [
    'A,x,y,7,1.50,yes,2027-01-15,2027-01-15T00:30:00.12+01:00',
    'B,,,,,,,',
    'C,z,z,0,0,0,2028-02-29,2027-07-01T12:00:00Z',
  ];
  expect(await counts([HEADER, ...rows].join('\n'))).toMatchObject([{ added: 3 }]);
  expect(await counts([HEADER, ...rows].join('\n'))).toMatchObject([{ added: 0, changed: 0, unchanged: 3 }]);
  const [stored] = await database.sql(`SELECT CAST(ChangedAt AS CHAR) AS time FROM type_samples WHERE Code = 'A'`);
  expect(stored).toEqual({ time: '2027-01-14 23:30:00.120' });

  const folder = join(database.folder, 'export');
  await database.cliOk('export', folder);
  const exported = readFileSync(join(folder, 'type_samples.csv'), 'utf8');
  expect(exported.split('\n')).toEqual([
    HEADER,
    'A,x,y,7,1.5,true,2027-01-15,2027-01-14T23:30:00.120Z',
    'B,,,,,,,',
    'C,z,z,0,0,false,2028-02-29,2027-07-01T12:00:00.000Z',
    '',
  ]);
  expect(await counts(exported)).toMatchObject([{ added: 0, changed: 0, unchanged: 3 }]);
});

const row = (time: string) => `${HEADER}\nT,,,,,,,${time}\n`;

test('a time changes the row only if it differs in UTC', async () => {
  await counts(row('2027-01-15T10:00:00+01:00'));
  expect(await counts(row('2027-01-15T09:00:00Z'))).toMatchObject([{ unchanged: 1 }]);
  expect(await counts(row('2027-01-15T10:00:00Z'))).toMatchObject([{ changed: 1 }]);
  expect(await counts(`Code\nT\n`)).toMatchObject([{ unchanged: 1 }]);
});
