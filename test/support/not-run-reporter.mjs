/** Prints at the end of a run each group of tests that was skipped, so that a skipped group cannot pass for a tested one. */
export default class NotRunReporter {
  onRunComplete(_contexts, { testResults }) {
    const skipped = testResults
      .flatMap((file) => file.testResults)
      .flatMap(({ ancestorTitles }) => ancestorTitles.filter((title) => title.startsWith('NOT RUN')));
    for (const title of new Set(skipped)) process.stderr.write(`${title}\n`);
  }
}
