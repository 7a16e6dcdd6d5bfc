import { appendFileSync } from 'node:fs';

/** Adds a line to a file, if one is named, as JSON: how many tests passed, and how many failed or could not begin. */
export default class CountReporter {
  constructor(_config, { file }) {
    this.file = file;
  }

  onRunComplete(_contexts, { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites }) {
    const counts = { passed, failed: numFailedTests + numRuntimeErrorTestSuites };
    if (this.file) appendFileSync(this.file, `${JSON.stringify(counts)}\n`);
  }
}
