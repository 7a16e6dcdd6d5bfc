/** An error that the operator can fix. The message explains how. The command prints no stack. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
