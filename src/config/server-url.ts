const ESCAPE = '%[0-9A-Fa-f]{2}';
const USER = `(?:[^@/:?#%\\s]|${ESCAPE})*`;
const PASSWORD = `(?:[^@/?#%\\s]|${ESCAPE})*`;
const SERVER = `(?:${USER}(?::${PASSWORD})?@)?[^@/:?#%\\s]+(?::[1-9]\\d{0,4})?`;

const MYSQL = new RegExp(`^mysql://${SERVER}/[^/?#%\\s]+$`);
const REDIS = new RegExp(`^rediss?://${SERVER}(?:/\\d+)?$`);

/**
 * Whether this names a database on a server, in a way that has one meaning only. Each library has a reader of its own:
 * what is not escaped in a password may be the host to one of them, and the password to another.
 */
export const isMysqlUrl = (text: string): boolean => MYSQL.test(text) && isReadable(text);

/** The same of a Redis server, and perhaps a database of it. */
export const isRedisUrl = (text: string): boolean => REDIS.test(text) && isReadable(text);

function isReadable(url: string): boolean {
  try {
    // Escapes of what is no UTF-8.
    decodeURIComponent(url);
  } catch {
    return false;
  }
  return URL.canParse(url);
}
