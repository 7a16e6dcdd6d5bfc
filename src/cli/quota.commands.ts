import type { Command } from 'commander';
import { CustomersService } from '../customers/customers.service.js';
import { QuotaService } from '../quota/quota.service.js';
import { CommandFailed } from './command-failed.js';
import type { Print } from './output.js';
import type { Session } from './session.js';
import { table } from './table.js';

/** Adds `quota show`. */
export function quotaCommands(quota: Command, session: Session, print: Print): void {
  quota
    .command('show')
    .argument('<code>', 'Customer Code')
    .description("Shows a customer's quota windows as the replicas count them in Redis (REDIS_URL).")
    .action(async (code: string) => {
      if (!session.settings.REDIS_URL)
        throw new CommandFailed(
          'REDIS_URL is not set: each process counts on its own, and commands cannot read its counts.',
        );
      const customer = await (await session.get(CustomersService)).find(code);
      if (!customer) throw new CommandFailed(`There is no customer ${code}; run "customer list" to see all.`);
      const quotas = await session.get(QuotaService);
      await quotas.start();
      const windows = await quotas.read({
        kind: 'customer',
        customerCode: code,
        requestsPerMinute: customer.RequestsPerMinute,
        requestsPerHour: customer.RequestsPerHour,
      });
      print(table(['window', 'used', 'limit', 'reset'], windows.map(cells)));
    });
}

function cells({ window, hits, endsAt }: Awaited<ReturnType<QuotaService['read']>>[number]): string[] {
  return [window.name, String(hits), String(window.limit), hits ? new Date(endsAt).toISOString() : '-'];
}
