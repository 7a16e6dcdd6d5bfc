import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { describeAsRoot } from '../support/describe-with.js';
import { importFile } from '../support/import-files.js';
import { RunningCommand } from '../support/running-command.js';
import { TestDatabase } from '../support/test-service.js';

const WAREHOUSES = importFile('warehouses.csv', [{ WarehouseCode: 'X', WarehouseName: 'Name' }]);

/** As in the container of a Job. */
const AS_PROCESS_1 = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

describeAsRoot('a command that is process 1', () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await TestDatabase.create()));
  afterAll(() => database.drop());

  test.each(['SIGTERM', 'SIGHUP'] as const)('ends on %s (decision 108)', async (signal) => {
    const command = RunningCommand.start(database.url, ['import', '--as', 'warehouses', '-'], {
      wrapper: AS_PROCESS_1,
      environment: { TMPDIR: database.folder },
    });
    await command.feedFirst(WAREHOUSES.repeat(50_000));
    const children = readFileSync(`/proc/${command.pid}/task/${command.pid}/children`, 'utf8');
    process.kill(Number(children), signal);
    expect((await command.ended).code).toBe(128 + constants.signals[signal]);
  });
});
