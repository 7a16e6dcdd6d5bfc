import { type Command, InvalidArgumentError, Option } from 'commander';
import { Customer } from '../customers/customer.entity.js';
import { CustomersService, type CustomerChanges } from '../customers/customers.service.js';
import { CellError, parseCell, type CellValue } from '../import/cell.js';
import { decimalText } from '../resource/decimal-text.js';
import { columnsOf } from '../resource/field.decorator.js';
import type { TermsChangeRecord } from '../audit/terms-change.entity.js';
import { TermsHistoryService } from '../audit/terms-history.service.js';
import { CommandFailed } from './command-failed.js';
import type { Print } from './output.js';
import { positive } from './positive.js';
import type { Session } from './session.js';
import { table } from './table.js';

/** The options of `customer set`. The key is the column that the option sets. */
const OPTIONS = {
  CustomerName: ['name', '--name <text>', 'display name'],
  PriceListCode: ['priceList', '--price-list <code>', 'assigned price list'],
  WarehouseCode: ['warehouse', '--warehouse <code>', 'assigned warehouse'],
  DiscountPercentage: [
    'discount',
    '--discount <percent>',
    'discount on eligible prices, from 0 to 100, with up to four decimals',
  ],
  RequestsPerMinute: ['perMinute', '--per-minute <n>', 'requests admitted per minute; "" restores the default limit'],
  RequestsPerHour: ['perHour', '--per-hour <n>', 'requests admitted per hour; "" restores the default limit'],
} as const;

type Options = Record<string, CellValue | undefined>;

/** Adds `customer list`, `show`, `set`, `log` and `delete`. */
export function customerCommands(customers: Command, session: Session, print: Print): void {
  customers
    .command('list')
    .description('Lists all customers and their terms.')
    .action(async () => {
      const all = await (await session.get(CustomersService)).list();
      print(table(CUSTOMER_COLUMNS, all.map(cells)));
    });
  customers
    .command('show')
    .argument('<code>', 'Customer Code')
    .description('Shows the terms of a customer.')
    .action(async (code: string) => {
      const customer = await (await session.get(CustomersService)).find(code);
      if (!customer) throw new CommandFailed(unknown(code));
      print(describe(customer));
    });
  const set = customers
    .command('set')
    .argument('<code>', 'Customer Code', (text: string) => parse('CustomerCode', text))
    .description(
      'Creates a customer, or changes the given terms of an existing one. An empty value ("") removes a term.',
    );
  for (const [column, [, flags, help]] of Object.entries(OPTIONS))
    set.option(flags, help, (text: string) => parse(column, text));
  set
    .addOption(new Option('--active', 'activate the customer').conflicts('inactive'))
    .addOption(
      new Option('--inactive', 'deactivate the customer and revoke its access tokens; its record and API keys stay'),
    )
    .option(
      '--allow-price-changes',
      'allow a change that alters more than 5 % of the prices of the customer by more than half',
    )
    .action(async (code: string, options: Options & { allowPriceChanges?: true }) => {
      const service = await session.get(CustomersService);
      print(describe(await service.set(code, changesOf(options), options.allowPriceChanges)));
    });
  customers
    .command('log')
    .argument('<code>', 'Customer Code')
    .description('Lists the changes of a customer, its keys and its price lists, also of deleted ones, latest first.')
    .option('--last <n>', 'number of changes', positive, 100)
    .option('--json', 'print the changes as JSON')
    .action(async (code: string, { last, json }: { last: number; json?: true }) => {
      const changes = await (await session.get(TermsHistoryService)).latest(code, last);
      if (json) return print(JSON.stringify(changes, null, 2));
      const known = changes.length || (await (await session.get(CustomersService)).find(code));
      if (!known) throw new CommandFailed(unknown(code));
      print(table(LOG_HEADERS, changes.flatMap(logRows)));
    });
  customers
    .command('delete')
    .argument('<code>', 'Customer Code')
    .description('Deletes a customer and its API keys.')
    .action(async (code: string) => {
      if (!(await (await session.get(CustomersService)).delete(code))) throw new CommandFailed(unknown(code));
      print(`Deleted ${code}.`);
    });
}

const LOG_HEADERS = ['when', 'what', 'value', 'old', 'new', 'database account', 'by', 'import'];

/** Returns a row for each value that changed. */
function logRows(change: TermsChangeRecord): string[][] {
  const { ChangedAt, Subject, Code, OldValues, NewValues, DatabaseAccount, ChangedBy, ImportID } = change;
  const id = NewValues?.ID ?? OldValues?.ID;
  const what = Subject === 'api_key' ? `key ${id}` : Subject === 'price_list' ? `price list ${Code}` : 'customer';
  const event = OldValues ? (NewValues ? what : `${what} deleted`) : `${what} added`;
  const names = Object.keys(NewValues ?? OldValues ?? {}).filter((name) => name !== 'ID');
  const origin = [DatabaseAccount ?? '-', ChangedBy, ImportID ?? '-'];
  return names.map((name) => [
    ChangedAt.toISOString(),
    event,
    name,
    String(OldValues?.[name] ?? '-'),
    String(NewValues?.[name] ?? '-'),
    ...origin,
  ]);
}

const unknown = (code: string) => `There is no customer ${code}; run "customer list" to see all.`;

const CUSTOMER_COLUMNS = [...columnsOf(Customer).map(({ name }) => name), 'Active'];

function cells(customer: Customer): string[] {
  const shown = { ...customer, DiscountPercentage: decimalText(customer.DiscountPercentage) };
  return CUSTOMER_COLUMNS.map((header) => String(shown[header as keyof Customer] ?? '-'));
}

function describe(customer: Customer): string {
  return table(
    ['term', 'value'],
    cells(customer).map((value, index) => [CUSTOMER_COLUMNS[index]!, value]),
  );
}

/** Returns the changes that the options request. */
function changesOf(options: Options): CustomerChanges {
  const given = Object.entries(OPTIONS).filter(([, [option]]) => options[option] !== undefined);
  // Commander passes an empty text if a parser returned null.
  const changes = Object.fromEntries(given.map(([column, [option]]) => [column, options[option] || null]));
  return options.active || options.inactive ? { ...changes, Active: Boolean(options.active) } : changes;
}

/** Parses the value of a column by the same rules as in an import file. */
function parse(column: string, text: string): CellValue {
  try {
    return parseCell(
      text,
      columnsOf(Customer).find(({ name }) => name === column)!,
    );
  } catch (error) {
    if (error instanceof CellError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
