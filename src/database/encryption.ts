import { Logger } from '@nestjs/common';
import { connect, type Socket } from 'node:net';
import { readPemFiles } from '../config/pem-files.js';
import type { Settings } from '../config/settings.js';
import { TCP_KEEP_ALIVE_MS } from '../config/tcp-keep-alive.js';

/** The TLS options of mysql2. All connections share this object. */
interface Tls {
  readonly verifyIdentity: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}

interface Address {
  config: { host: string; port: number };
}

/**
 * Returns the options of mysql2 that encrypt connections. Each new connection reads the files of certificates again, so
 * a renewed certificate needs no restart.
 */
export function encryption(settings: Settings): { ssl: Tls; stream: (address: Address) => Socket } | undefined {
  if (!settings.DATABASE_TLS) return undefined;
  const files = new CertificateFiles(settings);
  const ssl: Tls = { verifyIdentity: settings.DATABASE_TLS === true, ...files.current };
  const stream = (address: Address) => {
    // mysql2 keeps its secure context until one of these values changes.
    Object.assign(ssl, files.reread());
    return open(address);
  };
  return { ssl, stream };
}

/**
 * Opens the connection that mysql2 then encrypts. Node compares the certificate with the name that mysql2 passes. mysql2
 * passes none for an IP address. Node then reads `_host` of the socket, which it sets for host names only. If `_host` is
 * missing, Node expects a certificate for `localhost`, so this function sets it.
 */
function open({ config: { host, port } }: Address): Socket {
  const keepAlive = { keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  return Object.assign(connect({ host, port, noDelay: true, ...keepAlive }), { _host: host });
}

/** The contents of the files that the settings name. */
class CertificateFiles {
  private readonly logger = new Logger('Encryption');
  private problem?: string;
  current: Pick<Tls, 'ca' | 'cert' | 'key'>;

  constructor(private readonly settings: Settings) {
    const { files, problem } = this.read();
    if (problem) throw new Error(problem);
    this.current = files;
  }

  /** Returns the contents now. If they are invalid, logs why, and returns the last valid contents. */
  reread(): Pick<Tls, 'ca' | 'cert' | 'key'> {
    const { files, problem } = this.read();
    if (!problem) this.current = files;
    else if (problem !== this.problem)
      this.logger.error(`New connections to the database use the previous certificate: ${problem}`);
    this.problem = problem;
    return this.current;
  }

  private read() {
    const { texts, problems } = readPemFiles({ ...this.settings, REDIS_CA_FILE: undefined });
    const { DATABASE_CA_FILE: ca, DATABASE_CERTIFICATE_FILE: cert, DATABASE_KEY_FILE: key } = texts;
    return { files: { ca, cert, key }, problem: problems.join(', ') || undefined };
  }
}
