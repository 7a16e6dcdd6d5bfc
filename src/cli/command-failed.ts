/** A fault that the operator can fix. Its message says how; no stack is shown. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
