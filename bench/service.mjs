// Runs the service for the metering benchmark. With UNMETERED=1, requests skip the quota.
import { startService } from '../src/service.ts';
import { ServiceLogger } from '../src/logging/logger.ts';
import { readSettings } from '../src/config/settings.ts';
import { QuotaMiddleware } from '../src/quota/quota.middleware.ts';

if (process.env.UNMETERED === '1') {
  QuotaMiddleware.prototype.use = async (_request, _response, next) => next();
}
const settings = readSettings();
const service = await startService(settings, new ServiceLogger(settings));
await service.ready;
process.send({ url: `http://127.0.0.1:${service.port}` });
