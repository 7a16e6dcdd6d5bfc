import { stepsOf, TreeCopy, type Step } from '../support/walk.js';

// Follows the guide in a copy of the tree, adds fields to further resources, and runs the tests of full responses and of
// all endpoints there (docs/decisions.md#145). If one of them fails, an extender would have to edit it.

const CHAPTERS = ['Add a field', 'Add a nested array', 'Add an endpoint'];

/** A date of prices, which is also in the nested prices of products, and a text of images. */
const FURTHER_FIELDS: Step[] = [
  {
    file: 'src/pricing/product-price.entity.ts',
    place: 'before',
    line: '  /** List price before any discount.',
    code: `  @Field({ type: 'date', description: 'Last day of the price.', example: '2027-01-15' })
  ValidUntil!: string | null;

`,
  },
  {
    file: 'src/catalog/product-image.entity.ts',
    place: 'before',
    line: '}',
    code: `
  @Field({ type: 'varchar', length: 64, description: 'Caption of the image.', example: 'Front' })
  Caption!: string | null;
`,
  },
  {
    file: 'src/database/migrations/1796342400000-further-fields.ts',
    code: `import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialect.js';
import { addColumn } from './schema-steps.js';

export class FurtherFields1796342400000 implements MigrationInterface {
  name = 'FurtherFields1796342400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumn(queryRunner, 'prices', 'ValidUntil', (await dialectOf(queryRunner)).date);
    await addColumn(queryRunner, 'product_images', 'Caption', 'varchar(64)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE prices DROP COLUMN ValidUntil');
    await queryRunner.query('ALTER TABLE product_images DROP COLUMN Caption');
  }
}
`,
  },
  {
    file: 'src/database/migrations/migrations.ts',
    place: 'before',
    line: '/** Every migration',
    code: `import { FurtherFields1796342400000 } from './1796342400000-further-fields.js';
`,
  },
  {
    file: 'src/database/migrations/migrations.ts',
    place: 'before',
    line: '];',
    code: `  FurtherFields1796342400000,
`,
  },
  {
    file: 'docs/interface.md',
    place: 'behind',
    line: '| FileName ',
    code: '| `Caption` | text 64 | yes | Caption. |\n',
  },
  {
    file: 'test/support/expected-responses.ts',
    place: 'behind',
    line: '  OrderMultiple:',
    code: `  ValidUntil: 'code',
`,
  },
  {
    file: 'test/support/expected-responses.ts',
    place: 'replace',
    line: '    fields: { ImageID:',
    code: `    fields: { ImageID: 'code', FileName: 'prose', IsPrimaryImage: 'flag', Caption: 'prose' },
`,
  },
];

const QUICK = ['data-responses', 'scope', 'new-fields', 'deliveries'];
/** Tests that together take many minutes. Only `npm run test:nightly` runs them. */
const FURTHER = [
  'access',
  'changes.e2e',
  'changes-histories',
  'conformance',
  'content-parts',
  'demo',
  'documents',
  'errors',
  'expected-responses',
  'export.e2e',
  'fairness',
  'formats',
  'import.e2e',
  'import-absent-columns',
  'import-dry-run',
  'import-replace',
  'import-sources',
  'invariants',
  'pipelining',
  'schema.e2e',
  'schema-neighbours',
  'token-revocation',
  'validators',
];

let tree: TreeCopy;
beforeAll(() => {
  tree = new TreeCopy();
  for (const chapter of CHAPTERS) tree.follow(stepsOf('docs/extending.md', chapter));
  tree.follow(FURTHER_FIELDS);
  tree.build();
}, 180_000);
afterAll(() => tree?.remove());

const runTests = (projects: string[], tests: string[], environment?: Record<string, string>) =>
  tree.run(
    'jest',
    [...tests.map((name) => `/${name}`), '--maxWorkers=1', '--selectProjects', ...projects],
    environment,
  );

test('the tests of generated files can rewrite these files', () => {
  const update = { UPDATE_OPENAPI: '1', UPDATE_SCHEMA: '1' };
  const tests = ['test/openapi', 'test/migrations.e2e', 'test/docs/collection'];
  const [code, output] = runTests(['sqlite', 'docs'], tests, update);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('3 passed') });
  const [again, second] = runTests(['docs'], ['test/docs/collection']);
  expect({ code: again, output: second }).toEqual({ code: 0, output: expect.stringContaining('1 passed') });
}, 600_000);

test('the tests of full responses, of files and of all endpoints pass with the additions', () => {
  const tests = [...QUICK, ...(process.env.NIGHTLY ? FURTHER : [])].map((name) => `test/${name}`);
  const [code, output] = runTests(['unit', 'sqlite'], ['src/import/source', ...tests]);
  for (const name of tests) expect(output).toContain(`PASS sqlite ${name}`);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('PASS unit src/import/source/json') });
}, 1_800_000);
