import { InitialSchema1764201600000 } from './1764201600000-initial-schema.js';

/** Every migration, oldest first. A new one is written by hand and added here: it has to run on every engine. */
export const migrations = [InitialSchema1764201600000];
