import { throttlerSuite } from '../../test/support/throttler-suite.js';
import { MemoryQuotaStorage } from './memory-quota-storage.js';

describe('MemoryQuotaStorage under the ThrottlerGuard', () => {
  throttlerSuite(() => new MemoryQuotaStorage());
});
