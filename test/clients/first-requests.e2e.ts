import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceProcess } from '../support/service-process.js';

const folder = mkdtempSync(join(tmpdir(), 'customer-data-first-'));
const service = ServiceProcess.start({}, folder);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

test('the commands that a first start prints work without changes', async () => {
  const [commands] = await service.printing(/^ +TOKEN=[^]*?\/products$/m);
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], { maxBuffer: 50_000_000 });
  expect((JSON.parse(stdout) as unknown[]).length).toBeGreaterThan(100);
});
