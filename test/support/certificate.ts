import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** The files of a certificate and of its key. */
export interface Certificate {
  certificate: string;
  key: string;
  remove(): void;
}

interface Options {
  /** The authority that signs the certificate. By default, the certificate signs itself. */
  issuer?: Certificate;
  /** When the certificate expires. */
  until?: Date;
  /** Encrypts the key. */
  passphrase?: string;
}

/** Creates a certificate for a host name or an IP address. It may sign others. */
export async function makeCertificate(
  host = 'localhost',
  { issuer, until, passphrase }: Options = {},
): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-certificate-'));
  const { cert, private: secret } = await generate([{ name: 'commonName', value: `a test of ${host}` }], {
    algorithm: 'sha256',
    ...(issuer && { ca: { cert: readFileSync(issuer.certificate, 'utf8'), key: readFileSync(issuer.key, 'utf8') } }),
    ...(until && { notBeforeDate: new Date(until.getTime() - 1000), notAfterDate: until }),
    passphrase,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }] },
    ],
  });
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  writeFileSync(certificate, cert);
  writeFileSync(key, secret);
  return { certificate, key, remove: () => rmSync(folder, { recursive: true }) };
}
