import { ValidateBy, type ValidationOptions } from 'class-validator';

/**
 * One that means the same to every library: not all of them decode a host or a name, leave out white space, or take 0 for
 * a port.
 * @param rest what follows the host
 */
const urlOf = (scheme: string, rest: string) =>
  new RegExp(`^${scheme}://([^@/\\s]*@)?[^@/:%\\s]+(:[1-9]\\d{0,4})?${rest}$`);

const KINDS = {
  mysql: { url: urlOf('mysql', '/[^/?#%\\s]+'), form: 'mysql://user:password@host:port/name' },
  redis: { url: urlOf('rediss?', '(/\\d+)?'), form: 'redis://user:password@host:port/database or rediss://…' },
};

/** How such a URL looks, for people. */
export function formOf(kind: keyof typeof KINDS): string {
  return `${KINDS[kind].form} (special characters percent-encoded, % as %25)`;
}

/** The URL of a server, or a text that `otherwise` matches. */
export function IsUrlOf(kind: keyof typeof KINDS, options: ValidationOptions, otherwise?: RegExp): PropertyDecorator {
  const validate = (value: unknown) =>
    typeof value === 'string' && (otherwise?.test(value) || (KINDS[kind].url.test(value) && isEncoded(value)));
  return ValidateBy({ name: 'isUrlOf', validator: { validate } }, options);
}

/** Whether user and password end where it looks like it, and can be decoded: each driver would fail in its own way. */
function isEncoded(text: string): boolean {
  try {
    const { username, password, search, hash } = new URL(text);
    return [username, password].every((part) => typeof decodeURIComponent(part) === 'string') && !search && !hash;
  } catch {
    return false;
  }
}
