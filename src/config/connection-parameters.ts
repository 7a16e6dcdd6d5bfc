/**
 * What replaces the connection parameters of other tools: JDBC, the clients of MySQL and MariaDB, Go, Prisma, Doctrine,
 * SQLAlchemy, TypeORM, and PostgreSQL. The first pattern that matches a name decides. The names are in lower case,
 * without hyphens and underscores.
 */
const ADVICE: readonly (readonly [RegExp, (names: string) => string])[] = [
  [
    /^(ssl|tls)?(ca|cafile|rootcert|serversslcert|capath)$|truststore|trustcertificate/,
    (names) => `replace ${names} with DATABASE_CA_FILE`,
  ],
  [
    /^ssl(cert|certificate|identity)$|keystore|clientcertificate/,
    (names) => `replace ${names} with DATABASE_CERTIFICATE_FILE and DATABASE_KEY_FILE`,
  ],
  [/^ssl(key|password)$/, (names) => `replace ${names} with DATABASE_KEY_FILE, a key without a passphrase`],
  [/ssl|tls|verifyservercert/, (names) => `replace ${names} with DATABASE_TLS (true, verify-ca or false)`],
  [/charset|collation|characterencoding|unicode/, (names) => `remove ${names}, because the service uses utf8mb4`],
  [/timezone|^loc$|parsetime|datestrings/, (names) => `remove ${names}, because the service uses UTC`],
  [/^(server)?version$/, (names) => `remove ${names}, because the service needs no version`],
  [/timeout|^waitforconnections$/, (names) => `replace ${names} with DATABASE_WAIT_MS`],
  [/pool|limit|connections$/, (names) => `replace ${names} with DATABASE_POOL_SIZE and DOWNLOAD_POOL_SIZE`],
];

/** A name that may appear in a message. Another text in its place may be a secret. */
const NAME = /^[a-z][a-z_-]{1,40}$/i;

/** Says what replaces the parameters in these queries of URLs. Contains no value, and no unknown name. */
export function parameterAdvice(queries: readonly string[]): string {
  const rest = new Set(queries.flatMap((query) => [...new URLSearchParams(query).keys()]));
  const lines = ADVICE.flatMap(([pattern, advice]) => {
    const names = [...rest].filter((name) => NAME.test(name) && pattern.test(plain(name)));
    names.forEach((name) => rest.delete(name));
    return names.length ? [advice(names.join(', '))] : [];
  });
  if (rest.size) lines.push(lines.length ? 'remove the others' : 'remove them');
  return `must have no parameters: ${lines.join('; ') || 'remove the question mark'}`;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}
