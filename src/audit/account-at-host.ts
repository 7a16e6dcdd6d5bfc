import { hostname, userInfo } from 'node:os';

/** The account and host of a command, as records name them. */
export function whoami(): string {
  return `${account()}@${hostname()}`.slice(0, 255);
}

/** In a container the account may have a number and no name. */
function account(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
