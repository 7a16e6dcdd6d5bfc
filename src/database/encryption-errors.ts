/** What to do about an error of Node or mysql2, by its message. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/does not support secure connection/, 'Set up TLS on the server, or set DATABASE_TLS=false'],
  [/does not match certificate's altnames/, 'Put a host name or an IP address of the certificate into the URL'],
  [
    /self-signed certificate|^unable to (get|verify)|certificate signature failure/,
    'Set DATABASE_CA_FILE to the authority that issued the certificate of the server',
  ],
  [/certificate (has expired|is not yet valid)/, 'Renew the certificate of the server'],
];

/** The end of an error code with which Node reports that the server refused the certificate of the client. */
const REFUSED = /ALERT_(UNKNOWN_CA|\w*CERTIFICATE\w*)$/;

/** Adds the remedy to an error of an encrypted connection. Returns any other error as it is. */
export function explainEncryption(error: Error): Error {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const [, refused] = REFUSED.exec(code) ?? [];
  if (refused) {
    const reason = refused.toLowerCase().replaceAll('_', ' ');
    return explained(
      `The server refused the certificate of DATABASE_CERTIFICATE_FILE (${reason})`,
      'Use a valid certificate for clients from an authority that the server trusts',
      error,
    );
  }
  const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(message)) ?? [];
  return remedy ? explained(message.replace(/[.:\s]+$/, ''), remedy, error) : error;
}

function explained(problem: string, remedy: string, cause: Error): Error {
  return Object.assign(new Error(`${problem}. ${remedy}`, { cause }), { code: (cause as NodeJS.ErrnoException).code });
}
