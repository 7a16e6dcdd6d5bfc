import { explainEncryption } from './encryption-errors.js';

const explain = (message: string, code?: string) => explainEncryption(Object.assign(new Error(message), { code }));

test.each([
  [
    'Server does not support secure connection',
    'HANDSHAKE_NO_SSL_SUPPORT',
    /^Server does .*\. Set up TLS on the server/,
  ],
  ["Hostname/IP does not match certificate's altnames: IP: ", 'HANDSHAKE_SSL_ERROR', /altnames: IP\. Put a host name/],
  ['self-signed certificate in certificate chain', 'HANDSHAKE_SSL_ERROR', /chain\. Set DATABASE_CA_FILE to/],
  ['unable to verify the first certificate', 'HANDSHAKE_SSL_ERROR', /Set DATABASE_CA_FILE to/],
  ['certificate signature failure', 'HANDSHAKE_SSL_ERROR', /Set DATABASE_CA_FILE to/],
  ['certificate has expired', 'HANDSHAKE_SSL_ERROR', /^certificate has expired\. Renew/],
])('the error "%s" gets a remedy and keeps its code', (message, code, explained) => {
  expect(explain(message, code)).toMatchObject({ message: expect.stringMatching(explained) as string, code });
});

test.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'unknown ca'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'certificate expired'],
  // Node 22 and later
  ['ERR_SSL_SSL/TLS_ALERT_UNSUPPORTED_CERTIFICATE', 'unsupported certificate'],
])('%s becomes a sentence without codes of OpenSSL', (code, reason) => {
  const { message } = explain('806C:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert …\n', code);
  expect(message).toMatch(`The server refused the certificate of DATABASE_CERTIFICATE_FILE (${reason}). Use`);
  expect(message).not.toContain('0A000418');
});

test.each(["Access denied for user 'x'", 'connect ECONNREFUSED'])('the error "%s" stays as it is', (message) => {
  const error = new Error(message);
  expect(explainEncryption(error)).toBe(error);
});
