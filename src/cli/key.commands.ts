import { type Command, InvalidArgumentError } from 'commander';
import { ApiKeysService } from '../auth/api-keys.service.js';
import type { ApiKey } from '../auth/api-key.entity.js';
import { CustomersService } from '../customers/customers.service.js';
import { hasExpired } from '../auth/live-key.js';
import { isDay } from '../database/calendar-day.js';
import { timeOrNull } from '../database/utc-time.js';
import { CommandFailed } from './command-failed.js';
import type { Session } from './session.js';
import { table } from './table.js';

/** Adds `key issue`, `list` and `revoke`. */
export function keyCommands(program: Command, session: Session, print: (text: string) => void): void {
  const keys = program.command('key').description('Issues, lists and revokes API keys.');
  keys
    .command('issue')
    .argument('<code>', 'Customer Code')
    .option('--label <text>', 'purpose of the key', limitedLabel)
    .option('--expires <date>', 'last day (UTC) on which the key works, YYYY-MM-DD', endOfDay)
    .description('Issues an additional key and prints it. It cannot be shown again.')
    .action(async (code: string, { label, expires }: { label?: string; expires?: Date }) => {
      await assertCustomer(session, code);
      print(await (await session.get(ApiKeysService)).issue(code, label ?? null, expires ?? null));
    });
  keys
    .command('list')
    .argument('<code>', 'Customer Code')
    .description('Lists the keys of a customer, without the keys themselves.')
    .action(async (code: string) => {
      await assertCustomer(session, code);
      const all = await (await session.get(ApiKeysService)).list(code);
      print(table(['ID', 'label', 'state', 'created', 'expires', 'revoked'], all.map(cells)));
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
  const end = new Date(Date.parse(`${text}T00:00:00Z`) + 86_400_000);
  if (end.getTime() <= Date.now()) throw new InvalidArgumentError('That day is in the past: the key would never work.');
  return end;
}
