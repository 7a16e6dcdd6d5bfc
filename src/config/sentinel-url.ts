/** The servers of a `redis+sentinel://` URL. The names are those of the options of ioredis. */
export interface SentinelUrl {
  readonly encrypted: boolean;
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** The name under which the Sentinels monitor the master. */
  readonly name: string;
  readonly db: number;
  /** The account on the master and its replicas. */
  readonly username?: string;
  readonly password?: string;
  /** The account on the Sentinels. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const DEFAULT_PORT = 26_379;

const HOST = '[^@/:%,?#\\s]+(?::[1-9]\\d{0,4})?';
const TEXT = '[^@/:?#&=\\s]*';
const URL_OF_SENTINELS = new RegExp(
  [
    '^redis(?<encrypted>s?)\\+sentinel://',
    `(?:(?<username>${TEXT})(?::(?<password>[^@/?#\\s]*))?@)?`,
    `(?<hosts>${HOST}(?:,${HOST})*)`,
    '/(?<name>[\\w.-]+)(?:/(?<db>\\d+))?',
    `(?:\\?(?:sentinel_username=(?<sentinelUsername>${TEXT})&)?sentinel_password=(?<sentinelPassword>${TEXT}))?$`,
  ].join(''),
);

/**
 * Parses `redis+sentinel://user:password@host:port,host:port/master/database?sentinel_password=…`, the form of several
 * libraries for other languages. `rediss+sentinel://` encrypts all connections. Undefined: the text has another form.
 */
export function parseSentinelUrl(text: string): SentinelUrl | undefined {
  const { encrypted, hosts, name, db, ...account } = URL_OF_SENTINELS.exec(text)?.groups ?? {};
  if (!hosts || !name) return undefined;
  try {
    const decoded = Object.entries(account).flatMap(([key, value]) =>
      value ? [[key, decodeURIComponent(value)]] : [],
    );
    const sentinels = hosts.split(',').map((host) => {
      const [hostname, port] = host.split(':');
      return { host: hostname!, port: Number(port ?? DEFAULT_PORT) };
    });
    if (sentinels.some(({ port }) => port > 65_535)) return undefined;
    return { encrypted: encrypted === 's', sentinels, name, db: Number(db ?? 0), ...Object.fromEntries(decoded) };
  } catch {
    // A name or password cannot be decoded.
    return undefined;
  }
}
