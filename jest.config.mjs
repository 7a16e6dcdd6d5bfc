import { findClientPrograms, findProgram, findServer, findServerProgram } from './test/support/find-server.mjs';

/** Packages that are published as ES modules only: compiled for Jest, which loads CommonJS. */
const ES_MODULES = ['@nestjs', '@redocly', 'content-type'];

/** A process tells its open files there only. */
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
  setupFilesAfterEnv: ['<rootDir>/test/support/watch-answers.ts'],
  testMatch: files.map((file) => `<rootDir>/${file}`),
  globals: { TEST_ENGINE: engine },
});

const mysql = {
  ...endToEnd('mysql', 'test/*.e2e.ts', 'test/server/*.e2e.ts'),
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

/** What documents say: the page of the interface, in a browser, and the walks for who extends the service. */
const docs = (browser) => ({
  ...endToEnd('sqlite', 'test/docs/*.e2e.ts'),
  displayName: 'docs',
  testPathIgnorePatterns: browser ? [] : ['openapi-page'],
  globals: { TEST_ENGINE: 'sqlite', CHROMIUM: browser },
});

/** Clients in the languages of those who write some, and what their documents have readers type. */
const clients = (programs) => ({
  ...endToEnd('sqlite', 'test/clients/*.e2e.ts'),
  displayName: 'clients',
  testPathIgnorePatterns: programs.includes('curl') ? [] : ['clients/docs'],
  globals: { TEST_ENGINE: 'sqlite', PROGRAMS: programs },
});

/** What takes several replicas, a server, and time. */
const rollout = (nginx, redisProgram) => ({
  ...mysql,
  displayName: 'rollout',
  testMatch: ['<rootDir>/test/rollout/*.e2e.ts'],
  testPathIgnorePatterns: [
    ...(nginx && redisProgram ? [] : ['rollout/rolling-restart']),
    ...(LINUX ? [] : ['rollout/soak']),
  ],
  globals: { TEST_ENGINE: 'mysql', NGINX: nginx, REDIS_SERVER: redisProgram },
});

/**
 * Unit tests, the same end-to-end suite on SQLite and, where there is one, on a MySQL or MariaDB server, and what needs
 * Redis, nginx, a browser, time, or servers that it may break.
 */
export default function config() {
  const redisServer = findProgram('redis-server');
  const nginx = findProgram('nginx');
  const chromium = findProgram('chromium');
  const program = findServerProgram();
  const clientPrograms = findClientPrograms();
  const missing = [
    ...(findServer() ? [] : [MYSQL_MISSING]),
    ...(program && redisServer ? [] : [CHAOS_MISSING]),
    ...(redisServer ? [] : [REDIS_MISSING]),
    ...(nginx ? [] : [NGINX_MISSING]),
    ...(LINUX ? [] : [LINUX_MISSING]),
    ...(chromium ? [] : [CHROMIUM_MISSING]),
    ...(clientPrograms.missing.length ? [`${CLIENTS_MISSING} Missing: ${clientPrograms.missing.join(', ')}.`] : []),
  ];
  if (missing.length && process.env.REQUIRE_SERVERS === '1') throw new Error(missing.join('\n'));
  return {
    testTimeout: 60_000,
    // Each file leaves some of its modules behind: without a limit the run ends where the heap does.
    workerIdleMemoryLimit: '1GB',
    reporters: [
      'default',
      ['<rootDir>/test/support/not-run-reporter.mjs', { missing }],
      ['<rootDir>/test/support/count-reporter.mjs', { file: process.env.TEST_COUNTS }],
    ],
    projects: [
      { ...common, displayName: 'unit', testMatch: ['<rootDir>/{src,conformance}/**/*.spec.ts'] },
      endToEnd('sqlite', 'test/*.e2e.ts'),
      deploy,
      docs(chromium),
      clients(clientPrograms.found),
      ...(findServer() ? [mysql] : []),
      ...(redisServer ? [redis(redisServer)] : []),
      ...(findServer() ? [rollout(nginx, redisServer)] : []),
      ...(program && redisServer ? [chaos(program, redisServer)] : []),
    ],
  };
}

const MYSQL_MISSING =
  'NOT RUN: the end-to-end suite on MySQL/MariaDB. Set TEST_MYSQL_URL, or install mariadbd or mysqld (Debian: mariadb-server).';
const CHAOS_MISSING = 'NOT RUN: outages. Install redis-server and mariadb-server, whatever TEST_MYSQL_URL names.';
const NGINX_MISSING = 'NOT RUN: the rolling restart behind nginx. Install nginx (Debian: nginx).';
const LINUX_MISSING = 'NOT RUN: the soak. Run it on Linux, where open files can be counted.';
const REDIS_MISSING = 'NOT RUN: the tests on Redis. Install redis-server (Debian: redis-server).';
const CHROMIUM_MISSING = 'NOT RUN: the page of the OpenAPI document. Install chromium (Debian: chromium).';
const CLIENTS_MISSING =
  'NOT RUN: some clients. Install curl, a JDK, Python and its requests, PHP with curl, Mono (Debian: curl, default-jdk-headless, python3-requests, php-cli, php-curl, mono-mcs, mono-runtime, libmono-system-net-http4.0-cil).';
