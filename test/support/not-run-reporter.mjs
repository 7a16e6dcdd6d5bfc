/** Says at the end of the run, by name, what did not run for want of something, so that nobody takes it for passed. */
export default class NotRunReporter {
  constructor(_config, { missing }) {
    this.missing = missing;
  }

  onRunComplete(_contexts, { testResults }) {
    const skipped = testResults
      .flatMap((file) => file.testResults)
      .flatMap(({ ancestorTitles }) => ancestorTitles.filter((title) => title.startsWith('NOT RUN')));
    for (const notice of new Set([...this.missing, ...skipped])) process.stderr.write(`${notice}\n`);
  }
}
