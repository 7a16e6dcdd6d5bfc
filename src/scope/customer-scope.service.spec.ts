import type { CustomerIdentity } from '../auth/identity.js';
import { TokenDenylist } from '../auth/token-denylist.js';
import type { DatabaseService } from '../database/database.service.js';
import { CustomerScopeService } from './customer-scope.service.js';

const IDENTITY: CustomerIdentity = {
  kind: 'customer',
  customerCode: 'A',
  requestsPerMinute: null,
  requestsPerHour: null,
  grant: { apiKeyId: 1, deactivatedAt: null, issuedAt: 0 },
};

test('reads no times of changes for a 304', async () => {
  const prepared = jest.fn(async () => []);
  const scopes = new CustomerScopeService(
    { prepared } as Partial<DatabaseService> as DatabaseService,
    new TokenDenylist(),
  );
  await expect(scopes.current(IDENTITY)).rejects.toThrow('Customer not found.');
  expect(prepared).toHaveBeenCalledWith(expect.not.stringContaining('ChangedAt'), [1, 'A']);
});

test.each([
  ['the row of another customer', { CustomerCode: 'B', KeyID: 1, ExpiresAt: null, DeactivatedAt: null }],
  ['the row of the other statement', { KeyCustomerCode: 'A', ID: 1, ExpiresAt: null, DeactivatedAt: null }],
])('refuses %s, in case a proxy confuses prepared statements', async (_case, row) => {
  const database = { prepared: async () => [row] } as Partial<DatabaseService> as DatabaseService;
  const scopes = new CustomerScopeService(database, new TokenDenylist());
  await expect(scopes.current(IDENTITY)).rejects.toThrow('another customer than requested');
});
