/**
 * Prints each skipped group of tests at the end of a run, so that readers do not mistake a skipped group for a tested
 * one.
 */
export default class NotRunReporter {
  onRunComplete(_contexts, { testResults }) {
    const skipped = testResults
      .flatMap((file) => file.testResults)
      .flatMap(({ ancestorTitles }) => ancestorTitles.filter((title) => title.startsWith('NOT RUN')));
    for (const title of new Set(skipped)) process.stderr.write(`${title}\n`);
  }
}
