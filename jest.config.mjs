import { findServer } from './test/support/find-server.mjs';

/** Packages that are published as ES modules only: compiled for Jest, which loads CommonJS. */
const ES_MODULES = ['@nestjs', 'content-type'];

const common = {
  testEnvironment: 'node',
  transform: { '^.+\\.m?[jt]s$': '@swc/jest' },
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join('|')})/)`],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata'],
};

const endToEnd = (engine) => ({
  ...common,
  displayName: engine,
  setupFiles: [...common.setupFiles, '<rootDir>/test/support/quiet.ts'],
  testMatch: ['<rootDir>/test/**/*.e2e.ts'],
  globals: { TEST_ENGINE: engine },
});

/** Unit tests, then the same end-to-end suite on SQLite and, where there is one, on a MySQL or MariaDB server. */
export default function config() {
  const server = findServer();
  if (!server) reportMissing();
  return {
    testTimeout: 60_000,
    projects: [
      { ...common, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
      endToEnd('sqlite'),
      ...(server
        ? [
            {
              ...endToEnd('mysql'),
              globalSetup: '<rootDir>/test/support/start-server.mjs',
              globalTeardown: '<rootDir>/test/support/stop-server.mjs',
            },
          ]
        : []),
    ],
  };
}

function reportMissing() {
  const message =
    'NOT RUN: the end-to-end suite on MySQL/MariaDB. Set TEST_MYSQL_URL, or install mariadbd or mysqld (Debian: mariadb-server).';
  if (process.env.REQUIRE_SERVERS === '1') throw new Error(message);
  console.warn(`\n${message}\n`);
}
