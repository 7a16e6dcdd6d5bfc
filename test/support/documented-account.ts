import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Returns the arguments and the permitted commands of the account that docs/operations.md creates on a server. */
export function documentedAccount(server: 'Redis' | 'Sentinel'): { args: string[]; commands: string[] } {
  const page = readFileSync(resolve(__dirname, '../../docs/operations.md'), 'utf8');
  const [, line] = new RegExp(`^ACL SETUSER customer-data (.*?) +# on .*${server}$`, 'm').exec(page)!;
  const args = line!.split(' ');
  return { args, commands: args.flatMap((arg) => (arg.startsWith('+') ? [arg.slice(1)] : [])) };
}
