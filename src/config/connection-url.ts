import { ValidateBy, type ValidationOptions } from 'class-validator';
import { parameterAdvice } from './connection-parameters.js';
import { parseSentinelUrl } from './sentinel-url.js';

/**
 * Matches URLs that all libraries read alike. The libraries differ in whether they decode a host or a name, ignore
 * white space, or accept the port 0.
 * @param rest pattern of the part after the host
 */
const urlOf = (scheme: string, rest: string) =>
  new RegExp(`^${scheme}://([^@/\\s]*@)?[^@/:%,\\s]+(:[1-9]\\d{0,4})?${rest}$`);

const KINDS = {
  mysql: { url: urlOf('mysql', '/[^/?#%\\s]+'), form: 'mysql://user:password@host:port/name' },
  redis: {
    url: urlOf('rediss?', '(/\\d+)?'),
    form: 'redis://user:password@host:port/database or redis+sentinel://user:password@host:port,host:port/master/database?sentinel_password=…, with rediss for TLS',
  },
};

type Kind = keyof typeof KINDS;

/** Describes the form of such a URL to the operator. */
export function formOf(kind: Kind): string {
  return `${KINDS[kind].form} (special characters percent-encoded, % as %25)`;
}

/**
 * Returns which settings replace the parameters of database URLs, or undefined if the URLs have another problem. The
 * text contains no value, and no name that the service does not know.
 */
export function adviceFor(urls: readonly string[]): string | undefined {
  const queries = urls.flatMap((url) => {
    const [base, query] = url.split(/\?(.*)/s);
    // A password may contain an unencoded `?`. The part after it is then no query.
    return query !== undefined && !query.includes('@') && isUrlOf('mysql', base!) ? [query] : [];
  });
  return queries.length ? parameterAdvice(queries) : undefined;
}

/** Validates that a text is the URL of a server, or that `otherwise` matches it. */
export function IsUrlOf(kind: Kind, options: ValidationOptions, otherwise?: RegExp): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && (otherwise?.test(value) || isUrlOf(kind, value));
  return ValidateBy({ name: 'isUrlOf', validator: { validate } }, options);
}

function isUrlOf(kind: Kind, text: string): boolean {
  const isPlain = KINDS[kind].url.test(text) && isEncoded(text);
  return isPlain || (kind === 'redis' && parseSentinelUrl(text) !== undefined);
}

/**
 * Whether user and password have no unencoded `#` or `?` and can be decoded. Drivers interpret other URLs in different
 * ways.
 */
function isEncoded(text: string): boolean {
  try {
    const { username, password, search, hash } = new URL(text);
    return [username, password].every((part) => typeof decodeURIComponent(part) === 'string') && !search && !hash;
  } catch {
    return false;
  }
}
