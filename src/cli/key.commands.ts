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

/** `key issue`, `list` and `revoke`. */
export function keyCommands(program: Command, session: Session, print: (text: string) => void): void {
  const keys = program.command('key').description('Issues, lists and revokes API keys.');
  keys
    .command('issue')
    .argument('<code>', 'Customer Code')
    .option('--label <text>', 'what the key is for', limitedLabel)
    .option('--expires <date>', 'last day (UTC) on which the key works, YYYY-MM-DD', endOfDay)
    .description('Issues one more key and prints it; it cannot be shown again.')
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
    .description('Ends a key and the access tokens issued for it, at once.')
    .action(async (id: number) => {
      const known = await (await session.get(ApiKeysService)).revoke(id);
      if (!known) throw new CommandFailed(`There is no key ${id}; key list CODE shows those of a customer.`);
      print(`Revoked key ${id}.`);
    });
}

async function assertCustomer(session: Session, code: string): Promise<void> {
  if (await (await session.get(CustomersService)).find(code)) return;
  throw new CommandFailed(`There is no customer ${code}; customer list shows all, customer set makes one.`);
}

function cells({ ID, Label, CreatedAt, ExpiresAt, RevokedAt }: ApiKey): string[] {
  const state = RevokedAt ? 'revoked' : hasExpired(ExpiresAt) ? 'expired' : 'live';
  return [String(ID), Label ?? '-', state, ...[CreatedAt, ExpiresAt, RevokedAt].map(shown)];
}

/** Other programs may have stored an invalid time, such as MySQL's zero date. */
function shown(at: Date | null): string {
  if (at === null) return '-';
  return timeOrNull(at)?.toISOString() ?? 'not a date';
}

function keyId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It has to be a number.');
  return Number(text);
}

function limitedLabel(text: string): string {
  if ([...text].length > 255) throw new InvalidArgumentError('It has more than 255 characters.');
  return text;
}

/** The first moment after the given day (UTC). */
function endOfDay(text: string): Date {
  if (!isDay(text)) throw new InvalidArgumentError('It has to be a day in the form YYYY-MM-DD.');
  const end = new Date(Date.parse(`${text}T00:00:00Z`) + 86_400_000);
  if (end.getTime() <= Date.now()) throw new InvalidArgumentError('That day is over: the key would never work.');
  return end;
}
