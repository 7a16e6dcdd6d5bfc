/** A fault that the operator can mend; its message says how, and no stack is shown. */
export class CommandFailed extends Error {}
