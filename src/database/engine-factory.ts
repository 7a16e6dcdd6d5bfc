import type { Settings } from '../config/settings.js';
import { EmbeddedEngine } from './embedded-engine.js';
import type { Engine } from './engine.js';
import { ServerEngine } from './server-engine.js';

/** Creates the engine for `DATABASE_URL`. */
export function engineOf(settings: Settings): Engine {
  const path = sqlitePath(settings.DATABASE_URL);
  return path ? new EmbeddedEngine(path) : new ServerEngine(settings);
}

/** Returns the path of the embedded database's file, or undefined if `url` names a MySQL or MariaDB server. */
export function sqlitePath(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}
