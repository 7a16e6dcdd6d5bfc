import type { WriteSession } from '../database/engine.js';
import { DAY_MS, timestampText } from '../database/utc-time.js';
import { accountAtHost } from './account-at-host.js';

const RETENTION_DAYS = 400;
/** Number of changes that one statement records. */
const BATCH = 500;

type Values = Readonly<Record<string, unknown>>;

/** A change of a customer, a price list or an API key. */
export interface TermsChange {
  subject: 'customer' | 'price_list' | 'api_key';
  /** The Customer Code, or the code of the price list. */
  code: string;
  /** The old values; null: the subject is new. */
  before: Values | null;
  /** The new values; null: the subject is removed. */
  after: Values | null;
}

/** Records changes of terms and keys in the transaction that makes them, and deletes expired records. */
export class TermsLog {
  /** The time, the database account, and the account and host of the command. They are the same for all changes. */
  private origin?: readonly [changedAt: string, account: string | null, changedBy: string];

  /** @param importId the import that makes the changes; null: a command makes them */
  constructor(
    private readonly session: WriteSession,
    private readonly importId: string | null = null,
  ) {}

  /** Records the values that differ. @param changes must contain neither API keys nor their digests */
  async record(changes: readonly TermsChange[]): Promise<void> {
    const differing = changes.map(differences).filter((change) => change !== undefined);
    if (!differing.length) return;
    this.origin ??= await this.begin();
    const [changedAt, ...actor] = this.origin;
    const rows = differing.map(({ subject, code, before, after }) => [
      changedAt,
      subject,
      code,
      before && JSON.stringify(before),
      after && JSON.stringify(after),
      ...actor,
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
    const oldest = timestampText(new Date(now.getTime() - RETENTION_DAYS * DAY_MS));
    await query('DELETE FROM terms_changes WHERE ChangedAt < ?', [oldest]);
    const [row] = await query(`SELECT ${currentUser} AS account`);
    return [timestampText(now), (row?.account ?? null) as string | null, accountAtHost()];
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

/** Returns the change with only the values that differ and the ID of a key; undefined if no value differs. */
function differences(change: TermsChange): TermsChange | undefined {
  const { before, after } = change;
  if (!before || !after) return change;
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  if (!names.length) return undefined;
  const only = (values: Values) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => name === 'ID' || names.includes(name)));
  return { ...change, before: only(before), after: only(after) };
}
