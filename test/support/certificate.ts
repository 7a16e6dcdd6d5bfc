import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** The files of a self-signed certificate and of its key. */
export interface Certificate {
  certificate: string;
  key: string;
  remove(): void;
}

/** Creates a certificate for a server of this name. */
export async function makeCertificate(name = 'localhost'): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-certificate-'));
  const { cert, private: secret } = await generate([{ name: 'commonName', value: 'a test' }], {
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  writeFileSync(certificate, cert);
  writeFileSync(key, secret);
  return { certificate, key, remove: () => rmSync(folder, { recursive: true }) };
}
