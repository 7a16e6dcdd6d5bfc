import { availableParallelism } from 'node:os';
import { findProgram, findRedisServer, findServer, findServerProgram, programsOf } from './test/support/programs.mjs';

/** Packages that are published as ES modules only: compiled for Jest, which loads CommonJS. */
const ES_MODULES = ['@nestjs', '@redocly', 'content-type'];

/** Only Linux shows a process's open files. */
const LINUX = process.platform === 'linux';

const common = {
  testEnvironment: 'node',
  transform: { '^.+\\.m?[jt]s$': '@swc/jest' },
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join('|')})/)`],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata'],
};

const endToEnd = (engine, ...files) => ({
  ...common,
  displayName: engine,
  setupFiles: [...common.setupFiles, '<rootDir>/test/support/quiet.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/watch-responses.ts'],
  testMatch: files.map((file) => `<rootDir>/${file}`),
  globals: { TEST_ENGINE: engine },
});

const mysql = {
  ...endToEnd('mysql', 'test/*.e2e.ts', 'test/server/*.e2e.ts'),
  // A cluster takes long to start.
  testPathIgnorePatterns: process.env.NIGHTLY ? [] : ['server/galera'],
  globalSetup: '<rootDir>/test/support/start-server.mjs',
  globalTeardown: '<rootDir>/test/support/stop-server.mjs',
};

/** What needs a Redis server: counters that several replicas share. */
const redis = (program) => ({
  ...endToEnd('sqlite', 'test/redis/*.e2e.ts'),
  displayName: 'redis',
  globals: { TEST_ENGINE: 'sqlite', REDIS_SERVER: program },
});

/** Outages of servers that the tests start, break and start again. */
const chaos = (database, redisProgram) => ({
  ...mysql,
  displayName: 'chaos',
  testMatch: ['<rootDir>/test/chaos/*.e2e.ts'],
  globals: { TEST_ENGINE: 'mysql', DATABASE_SERVER: database, REDIS_SERVER: redisProgram },
});

/** The image and the manifests of `deploy/`, for which no database matters. */
const deploy = {
  ...endToEnd('sqlite', 'test/deploy/*.e2e.ts'),
  displayName: 'deploy',
};

/** Full disks. `npm test` skips them on a machine without `unshare`, so `test:programs` runs their files again. */
const disk = {
  ...endToEnd('sqlite', 'test/export.e2e.ts', 'test/import-safety-faults.e2e.ts'),
  displayName: 'disk',
};

/** The recipes of `docs/`, carried out. */
const docs = {
  ...endToEnd('sqlite', 'test/docs/*.e2e.ts'),
  displayName: 'docs',
};

/** Pages of the management port in a browser. */
const browser = (program) => ({
  ...endToEnd('sqlite', 'test/browser/*.e2e.ts'),
  displayName: 'browser',
  globals: { TEST_ENGINE: 'sqlite', CHROMIUM: program },
});

/** Clients in several languages, and the commands that the integration pages show. */
const clients = (programs) => ({
  ...endToEnd('sqlite', 'test/clients/*.e2e.ts'),
  displayName: 'clients',
  testPathIgnorePatterns: programs.includes('curl') ? [] : ['clients/docs', 'clients/first-requests'],
  globals: { TEST_ENGINE: 'sqlite', PROGRAMS: programs },
});

/** What takes several replicas, a server, and time. */
const rollout = (nginx, redisProgram) => ({
  ...mysql,
  displayName: 'rollout',
  testMatch: ['<rootDir>/test/rollout/*.e2e.ts'],
  testPathIgnorePatterns: [
    ...(nginx && redisProgram ? [] : ['rollout/rolling-restart']),
    // The soak test takes about 85 s.
    ...(LINUX && (process.env.NIGHTLY || process.env.SOAK_SECONDS) ? [] : ['rollout/soak']),
  ],
  globals: { TEST_ENGINE: 'mysql', NGINX: nginx, REDIS_SERVER: redisProgram },
});

/**
 * The projects whose programs are here. `npm test` runs `unit`, `sqlite` and `docs`, which need only Node;
 * `npm run test:all` runs every project.
 */
export default function config() {
  const redisServer = findRedisServer();
  const nginx = findProgram('nginx');
  const chromium = findProgram('chromium');
  const program = findServerProgram();
  return {
    testTimeout: 60_000,
    // Many tests wait for a while, so that one more worker than there are cores keeps all of them busy.
    maxWorkers: availableParallelism() + 1,
    // Each file leaves some of its modules behind: without a limit the run ends where the heap does.
    workerIdleMemoryLimit: '1GB',
    reporters: [
      'default',
      '<rootDir>/test/support/not-run-reporter.mjs',
      ['<rootDir>/test/support/count-reporter.mjs', { file: process.env.TEST_COUNTS }],
    ],
    projects: [
      {
        ...common,
        displayName: 'unit',
        testMatch: ['<rootDir>/{src,conformance,site,bench,test/support}/**/*.spec.{ts,mjs}'],
      },
      endToEnd('sqlite', 'test/*.e2e.ts'),
      docs,
      deploy,
      ...(findProgram('unshare') ? [disk] : []),
      clients(programsOf('clients')),
      ...(chromium ? [browser(chromium)] : []),
      ...(findServer() ? [mysql] : []),
      ...(redisServer ? [redis(redisServer)] : []),
      ...(findServer() ? [rollout(nginx, redisServer)] : []),
      ...(program && redisServer ? [chaos(program, redisServer)] : []),
    ],
  };
}
