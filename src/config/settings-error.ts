/** The environment contains invalid settings. `problems` has a line for each. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(['Invalid settings:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}
