import type { Settings } from '../config/settings.js';
import { EmbeddedEngine } from './embedded-engine.js';
import type { Engine } from './engine.js';
import { ServerEngine } from './server-engine.js';

/** The engine of `DATABASE_URL`. */
export function engineOf(settings: Settings): Engine {
  const path = sqlitePath(settings.DATABASE_URL);
  return path ? new EmbeddedEngine(path) : new ServerEngine(settings);
}

/** The path of the embedded database's file, or undefined where `url` names a MySQL or MariaDB server. */
export function sqlitePath(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}
