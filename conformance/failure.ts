/** The deployment breaks a clause. The message states what was expected and received. */
export class Broken extends Error {}

/** This run cannot check a clause. The message states why. */
export class NotTestable extends Error {}
