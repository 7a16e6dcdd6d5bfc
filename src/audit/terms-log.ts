import type { WriteSession } from '../database/engine.js';
import { timestampText } from '../database/utc-time.js';
import { whoami } from './whoami.js';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 400;
/** Changes that one statement records. */
const BATCH = 500;

type Values = Readonly<Record<string, unknown>>;

/** A change of something that decides what a customer gets. */
export interface TermsChange {
  subject: 'customer' | 'price_list' | 'api_key';
  /** The Customer Code; of a price list its code. */
  code: string;
  /** The old values; null: it did not exist. */
  before: Values | null;
  /** The new values; null: it exists no more. */
  after: Values | null;
}

/** Records changes of terms and keys in the transaction that makes them, and forgets those of long ago. */
export class TermsLog {
  /** When, by which account of the database and by which account and host: the same for the whole transaction. */
  private origin?: readonly [changedAt: string, account: string | null, changedBy: string];

  /** @param importId of the import that makes the changes; null: a command */
  constructor(
    private readonly session: WriteSession,
    private readonly importId: string | null = null,
  ) {}

  /** Records the values that differ. @param changes without keys or their digests */
  async record(changes: readonly TermsChange[]): Promise<void> {
    const differing = changes.map(differences).filter((change) => change !== undefined);
    if (!differing.length) return;
    this.origin ??= await this.begin();
    const [changedAt, ...who] = this.origin;
    const rows = differing.map(({ subject, code, before, after }) => [
      changedAt,
      subject,
      code,
      before && JSON.stringify(before),
      after && JSON.stringify(after),
      ...who,
      this.importId,
    ]);
    for (let start = 0; start < rows.length; start += BATCH) {
      const { sql, parameters } = this.session.values(rows.slice(start, start + BATCH));
      await this.session.query(`INSERT INTO terms_changes (${COLUMNS.join()}) VALUES ${sql}`, parameters);
    }
  }

  private async begin(): Promise<NonNullable<TermsLog['origin']>> {
    const { query, currentUser } = this.session;
    const now = new Date();
    const oldest = timestampText(new Date(now.getTime() - KEPT_DAYS * DAY_MS));
    await query('DELETE FROM terms_changes WHERE ChangedAt < ?', [oldest]);
    const [row] = await query(`SELECT ${currentUser} AS account`);
    return [timestampText(now), (row?.account ?? null) as string | null, whoami()];
  }
}

const COLUMNS = [
  'ChangedAt',
  'Subject',
  'Code',
  'OldValues',
  'NewValues',
  'DatabaseAccount',
  'ChangedBy',
  'ImportID',
] as const;

/** A change without the values that stay, except for the ID of a key; undefined if all do. */
function differences(change: TermsChange): TermsChange | undefined {
  const { before, after } = change;
  if (!before || !after) return change;
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  if (!names.length) return undefined;
  const only = (values: Values) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => name === 'ID' || names.includes(name)));
  return { ...change, before: only(before), after: only(after) };
}
