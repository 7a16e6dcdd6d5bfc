// Runs the built service for the metering benchmark. With UNMETERED=1, requests skip the quota.
import { startService } from '../dist/service.js';
import { ServiceLogger } from '../dist/logging/logger.js';
import { readSettings } from '../dist/config/settings.js';
import { QuotaMiddleware } from '../dist/quota/quota.middleware.js';

if (process.env.UNMETERED === '1') {
  QuotaMiddleware.prototype.use = async (_request, _response, next) => next();
}
const settings = readSettings();
const service = await startService(settings, new ServiceLogger(settings));
await service.ready;
process.send({ url: `http://127.0.0.1:${service.port}` });
