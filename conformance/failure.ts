/** A deployment does not do what is demanded. The message says what it does instead. */
export class Broken extends Error {}

/** A clause cannot be checked from here. The message says why. */
export class NotTestable extends Error {}
