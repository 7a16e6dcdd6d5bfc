import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const BEGIN = '-----BEGIN CERTIFICATE-----';
/** OpenSSL needs the end of a certificate and the beginning of the next one on separate lines. */
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----\r?\n[^-]+^-----END CERTIFICATE-----\r?$/gm;
const ENCRYPTED = /^(-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m;

/** Returns what is wrong with the content of a file, in words that follow the name of its setting. */
type Check = (text: string) => string | undefined;

/** The settings that name files in PEM format. */
const CHECKS = {
  DATABASE_CA_FILE: authoritiesProblem,
  DATABASE_CERTIFICATE_FILE: certificateProblem,
  DATABASE_KEY_FILE: keyProblem,
  REDIS_CA_FILE: authoritiesProblem,
} satisfies Record<string, Check>;

type PemSetting = keyof typeof CHECKS;
type ByPemSetting = Readonly<Partial<Record<PemSetting, string>>>;

/**
 * Reads and checks files in PEM format.
 * @param paths the path of each file, by the name of its setting
 * @returns the content of each file, and a line for each problem
 */
export function readPemFiles(paths: ByPemSetting): { texts: ByPemSetting; problems: string[] } {
  const texts: Partial<Record<PemSetting, string>> = {};
  const problems: string[] = [];
  for (const [name, check] of Object.entries(CHECKS) as [PemSetting, Check][]) {
    const path = paths[name];
    if (path === undefined) continue;
    try {
      texts[name] = readFileSync(path, 'utf8');
    } catch (error) {
      problems.push(`${name} must name a readable file (${(error as NodeJS.ErrnoException).code})`);
      continue;
    }
    const problem = check(texts[name]);
    if (problem) problems.push(`${name} ${problem}`);
  }
  const { DATABASE_CERTIFICATE_FILE: certificate, DATABASE_KEY_FILE: key } = texts;
  if (!problems.length && certificate && key && !isPair(certificate, key))
    problems.push('DATABASE_KEY_FILE must name the key of the first certificate in DATABASE_CERTIFICATE_FILE');
  return { texts, problems };
}

/** A bundle of authorities often contains expired ones, so one valid authority is enough. */
function authoritiesProblem(text: string): string | undefined {
  return certificatesProblem(text, certificatesIn(text));
}

/** The first certificate is the client's own. The others lead from it to an authority. */
function certificateProblem(text: string): string | undefined {
  return certificatesProblem(text, certificatesIn(text).slice(0, 1));
}

/** @param candidates the certificates of the text, one of which must not have expired */
function certificatesProblem(text: string, candidates: readonly string[]): string | undefined {
  const form = 'must name a file of certificates (PEM)';
  const damaged = `${form}: one of them is damaged`;
  const count = text.split(BEGIN).length - 1;
  if (!count) return form;
  if (certificatesIn(text).length < count) return damaged;
  try {
    if (candidates.some((one) => expiryOf(one) > new Date())) return undefined;
    const until = expiryOf(candidates[0]!).toISOString();
    return `must name a certificate that has not expired: the first one was valid until ${until}`;
  } catch {
    return damaged;
  }
}

function certificatesIn(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}

function expiryOf(certificate: string): Date {
  return new Date(new X509Certificate(certificate).validTo);
}

function keyProblem(text: string): string | undefined {
  if (ENCRYPTED.test(text))
    return 'must name a key without a passphrase: decrypt it with openssl pkey -in ENCRYPTED -out DECRYPTED';
  try {
    createPrivateKey(text);
    return undefined;
  } catch {
    return 'must name a file with a private key (PEM)';
  }
}

function isPair(certificate: string, key: string): boolean {
  return new X509Certificate(certificatesIn(certificate)[0]!).checkPrivateKey(createPrivateKey(key));
}
