import { hostname, userInfo } from 'node:os';

/** The account and host that run the command, `account@host`, with at most 255 characters. */
export function accountAtHost(): string {
  return `${account()}@${hostname()}`.slice(0, 255);
}

/** The account name, or its number, because an account in a container may have no name. */
function account(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
