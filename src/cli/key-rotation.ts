import type { ApiKey } from '../auth/api-key.entity.js';
import { ApiKeysService, type IssuedKey } from '../auth/api-keys.service.js';
import { lastsLonger } from '../auth/live-key.js';
import { CommandFailed } from './command-failed.js';

export interface RotationOptions {
  /** How long the old key still works, in milliseconds. */
  overlap: number;
  /** The ID of the key to replace. */
  key?: number;
  label?: string;
  expires?: Date;
}

interface Rotation extends IssuedKey {
  /** What happened, for people. */
  summary: string;
}

/** Issues a key that replaces another one, which then expires after the overlap. */
export async function rotate(keys: ApiKeysService, code: string, options: RotationOptions): Promise<Rotation> {
  const { overlap, key, label, expires } = options;
  const oldExpiresAt = new Date(Date.now() + overlap);
  if (expires && expires <= oldExpiresAt)
    throw new CommandFailed('The new key would expire before the old one: choose a later --expires.');
  const old = keyToReplace(await keys.list(code), code, oldExpiresAt, key);
  const terms = { Label: label ?? old.Label, ExpiresAt: expires ?? null };
  const issued = await keys.rotate(old, oldExpiresAt, terms);
  if (!issued) throw new CommandFailed(`Key ${old.ID} has changed meanwhile; run the command again.`);
  const end = expires ? `expires at ${expires.toISOString()}` : 'never expires';
  const summary = `Key ${issued.id} replaces key ${old.ID}, which works until ${oldExpiresAt.toISOString()}. Key ${issued.id} ${end}.`;
  return { ...issued, summary };
}

/** Only a key that outlasts the overlap needs a replacement: earlier rotations have replaced the others. */
function keyToReplace(all: readonly ApiKey[], code: string, end: Date, id: number | undefined): ApiKey {
  const lasting = all.filter(({ RevokedAt, ExpiresAt }) => !RevokedAt && lastsLonger(ExpiresAt, end));
  const candidates = id === undefined ? lasting : lasting.filter(({ ID }) => ID === id);
  const [only, another] = candidates;
  if (only && !another) return only;
  const shown = lasting.map(({ ID, Label }) => `${ID} (${Label ?? 'no label'})`).join(', ');
  if (another)
    throw new CommandFailed(
      `${code} has several keys that work until then: ${shown}. Name one, such as --key ${only!.ID}.`,
    );
  const found = lasting.length ? ` Keys that do: ${shown}.` : ` To add a key, run "key issue ${code}".`;
  const missing = id === undefined ? `No key of ${code} works` : `Key ${id} is no key of ${code} that works`;
  throw new CommandFailed(`${missing} until ${end.toISOString()} or longer.${found}`);
}
