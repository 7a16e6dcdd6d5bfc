import { createHash } from 'node:crypto';
import type { Repository } from 'typeorm';
import type { DatabaseService } from '../database/database.service.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';

const KEY = 'a key';
const LIVE = {
  KeyCustomerCode: 'A',
  ID: 1,
  Digest: createHash('sha256').update(KEY).digest('hex'),
  ExpiresAt: null,
  DeactivatedAt: null,
  RequestsPerMinute: null,
  RequestsPerHour: null,
};

function serviceWith(...rows: object[]): ApiKeysService {
  const database = { prepared: async () => rows } as Partial<DatabaseService> as DatabaseService;
  return new ApiKeysService(database, {} as Repository<ApiKey>);
}

test.each([
  ['the keys of another customer', { ...LIVE, KeyCustomerCode: 'B' }],
  ['the row of the other statement', { CustomerCode: 'A', KeyID: 1, ExpiresAt: null, DeactivatedAt: null }],
])('refuses %s, in case a proxy confuses prepared statements', async (_case, row) => {
  await expect(serviceWith(LIVE, row).verify('A', KEY)).rejects.toThrow('another customer than requested');
});

test('returns the customer of a live key', async () => {
  await expect(serviceWith(LIVE).verify('A', KEY)).resolves.toMatchObject({
    customerCode: 'A',
    grant: { apiKeyId: 1 },
  });
});
