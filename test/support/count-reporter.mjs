import { appendFileSync } from 'node:fs';

/**
 * Appends the numbers of passed and failed tests to a file as a line of JSON, if a file is given. Test files that could
 * not start count as failed.
 */
export default class CountReporter {
  constructor(_config, { file }) {
    this.file = file;
  }

  onRunComplete(_contexts, { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites }) {
    const counts = { passed, failed: numFailedTests + numRuntimeErrorTestSuites };
    if (this.file) appendFileSync(this.file, `${JSON.stringify(counts)}\n`);
  }
}
