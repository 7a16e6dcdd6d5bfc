/** An error that the operator can fix. Its message contains the fix and is printed without a stack. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
