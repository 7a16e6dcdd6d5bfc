import request from 'supertest';
import { requiredColumns } from '../src/database/required-schema.js';
import { TestService } from './support/test-service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.close());

test('GET /api/version returns the API profile without a token (interface §2.10, §9)', async () => {
  await request(service.url)
    .get('/api/version')
    .expect(200, '{"apiVersion":"2026-04"}')
    .expect('Content-Type', 'application/json; charset=utf-8');
});

test('GET /health returns exactly "Healthy" as plain text with no-store (decision 12)', async () => {
  await request(service.url)
    .get('/health')
    .expect(200, 'Healthy')
    .expect('Content-Type', 'text/plain')
    .expect('Cache-Control', 'no-store');
});

test('the probes are available only on the management port (decision 28)', async () => {
  for (const path of ['/livez', '/readyz']) {
    await request(service.managementUrl).get(path).expect(200);
    await request(service.url).get(path).expect(404);
  }
  await request(service.managementUrl).get('/products').expect(404);
});

const expectBoth = async (status: number) => {
  await request(service.url).get('/health').expect(status);
  return request(service.managementUrl).get('/readyz').expect(status);
};

test('/health and /readyz return 503 while the schema is older than at the start (decision 12)', async () => {
  const { database } = service;
  await expectBoth(200);
  // A restore is in progress.
  await database.sql('ALTER TABLE migrations RENAME TO elsewhere');
  await expectBoth(503);
  await database.sql('ALTER TABLE elsewhere RENAME TO migrations');
  await expectBoth(200);
  // A restore has brought the schema of an older release.
  await database.sql(`UPDATE migrations SET name = CONCAT(name, '-') WHERE name LIKE 'Imported%'`);
  await expectBoth(503);
  await database.sql(`UPDATE migrations SET name = REPLACE(name, '-', '')`);
  await expectBoth(200);
});

test('/health and /readyz return 503 while any table is missing, and 200 afterwards (decision 101)', async () => {
  const { database } = service;
  for (const table of requiredColumns().keys()) {
    await database.sql(`ALTER TABLE ${table} RENAME TO elsewhere`);
    const { body } = await expectBoth(503);
    expect(body.error.database.message).toBe(
      `The database lacks ${table}; grant the account its rights, or restore all tables`,
    );
    await database.sql(`ALTER TABLE elsewhere RENAME TO ${table}`);
    await expectBoth(200);
  }
});

test('/health and /readyz return 503 while a column is missing (decision 128)', async () => {
  const { database } = service;
  await database.sql('ALTER TABLE customers RENAME COLUMN DeactivatedAt TO Elsewhere');
  const { body } = await expectBoth(503);
  expect(body.error.database.message).toMatch(
    /^The database lacks customers\.DeactivatedAt; run: .* migrate --repeat$/,
  );
  await database.sql('ALTER TABLE customers RENAME COLUMN Elsewhere TO DeactivatedAt');
  await expectBoth(200);
});
