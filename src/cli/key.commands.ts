import { type Command, InvalidArgumentError, Option } from 'commander';
import { ApiKeysService } from '../auth/api-keys.service.js';
import type { ApiKey } from '../auth/api-key.entity.js';
import { type ExpiringKey, ExpiringKeysService } from '../auth/expiring-keys.service.js';
import { CustomersService } from '../customers/customers.service.js';
import { hasExpired } from '../auth/live-key.js';
import { isDay } from '../database/calendar-day.js';
import { DAY_MS, timeOrNull } from '../database/utc-time.js';
import { CommandFailed } from './command-failed.js';
import { duration } from './duration.js';
import { rotate, type RotationOptions } from './key-rotation.js';
import type { Output, Print } from './output.js';
import type { Session } from './session.js';
import { table } from './table.js';

/** Adds `key issue`, `list`, `rotate` and `revoke`. */
export function keyCommands(keys: Command, session: Session, print: Print, { stderr }: Output): void {
  keys
    .command('issue')
    .argument('<code>', 'Customer Code')
    .option('--label <text>', 'purpose of the key', limitedLabel)
    .option('--expires <date>', 'last day (UTC) on which the key works, YYYY-MM-DD', endOfDay)
    .description('Issues an additional key and prints it. It cannot be shown again.')
    .action(async (code: string, { label, expires }: { label?: string; expires?: Date }) => {
      await assertCustomer(session, code);
      const terms = { CustomerCode: code, Label: label ?? null, ExpiresAt: expires ?? null };
      print((await (await session.get(ApiKeysService)).issue(terms)).key);
    });
  keys
    .command('list')
    .argument('[code]', 'Customer Code')
    .option(
      '--expiring <duration>',
      'only keys of active customers that expire within this time, such as 30d, or expired within the last 7 days',
      duration,
    )
    .description('Lists the keys of a customer, or expiring keys of all customers, without the keys themselves.')
    .action(async (code: string | undefined, { expiring }: { expiring?: number }) => {
      if (code !== undefined) await assertCustomer(session, code);
      if (expiring !== undefined) {
        const found = await (await session.get(ExpiringKeysService)).within(expiring, code);
        return print(table(EXPIRING_HEADERS, found.map(expiringCells)));
      }
      if (code === undefined)
        throw new CommandFailed('Name a customer, or pass --expiring 30d for the expiring keys of all customers.');
      const all = await (await session.get(ApiKeysService)).list(code);
      print(table(['ID', 'label', 'state', 'created', 'expires', 'revoked'], all.map(cells)));
    });
  keys
    .command('rotate')
    .argument('<code>', 'Customer Code')
    .addOption(
      new Option('--overlap <duration>', 'how long the old key still works, such as 12h or 14d')
        .argParser(duration)
        .default(14 * DAY_MS, '14d'),
    )
    .option('--key <id>', 'ID of the key to replace, if the customer has several', keyId)
    .option('--label <text>', 'purpose of the new key; by default the label of the old key', limitedLabel)
    .option('--expires <date>', 'last day (UTC) on which the new key works, YYYY-MM-DD', endOfDay)
    .description('Issues a key that replaces another one, and prints the new key. The old key expires later.')
    .action(async (code: string, options: RotationOptions) => {
      await assertCustomer(session, code);
      const { key, summary } = await rotate(await session.get(ApiKeysService), code, options);
      print(key);
      // Standard output contains only the key, as with `key issue`.
      stderr.write(`${summary}\n`);
    });
  keys
    .command('revoke')
    .argument('<id>', 'ID of the key, as key list shows it', keyId)
    .description('Revokes a key and its access tokens at once.')
    .action(async (id: number) => {
      const known = await (await session.get(ApiKeysService)).revoke(id);
      if (!known) throw new CommandFailed(`There is no key ${id}; run "key list CODE" to see the keys of a customer.`);
      print(`Revoked key ${id}.`);
    });
}

async function assertCustomer(session: Session, code: string): Promise<void> {
  if (await (await session.get(CustomersService)).find(code)) return;
  throw new CommandFailed(
    `There is no customer ${code}; run "customer list" to see all, or "customer set" to create one.`,
  );
}

const EXPIRING_HEADERS = ['customer', 'ID', 'label', 'state', 'created', 'expires', 'later key'];

function expiringCells({ customerCode, id, label, createdAt, expiresAt, laterKey }: ExpiringKey): string[] {
  const state = hasExpired(expiresAt) ? 'expired' : 'live';
  const times = [createdAt, expiresAt].map(shown);
  return [customerCode, String(id), label ?? '-', state, ...times, String(laterKey ?? '-')];
}

function cells({ ID, Label, CreatedAt, ExpiresAt, RevokedAt }: ApiKey): string[] {
  const state = RevokedAt ? 'revoked' : hasExpired(ExpiresAt) ? 'expired' : 'live';
  return [String(ID), Label ?? '-', state, ...[CreatedAt, ExpiresAt, RevokedAt].map(shown)];
}

/** Another program may have stored an invalid time, such as the zero date of MySQL. */
function shown(at: Date | null): string {
  if (at === null) return '-';
  return timeOrNull(at)?.toISOString() ?? 'not a date';
}

function keyId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

function limitedLabel(text: string): string {
  if ([...text].length > 255) throw new InvalidArgumentError('It has more than 255 characters.');
  return text;
}

/** Parses a day in UTC. @returns the first moment after it */
function endOfDay(text: string): Date {
  if (!isDay(text)) throw new InvalidArgumentError('It must be a day in the form YYYY-MM-DD.');
  const end = new Date(Date.parse(`${text}T00:00:00Z`) + DAY_MS);
  if (end.getTime() <= Date.now()) throw new InvalidArgumentError('That day is in the past: the key would never work.');
  return end;
}
