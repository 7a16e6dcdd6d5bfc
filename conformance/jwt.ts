type Part = Readonly<Record<string, unknown>>;

/** The decoded parts of a token, without a check of its signature. @throws if it is not a JWT */
export function partsOf(token: string): { header: Part; claims: Part; signature: string } {
  const [header, claims, signature = ''] = token.split('.');
  return { header: decoded(header), claims: decoded(claims), signature };
}

/** A part of a token in its encoded form. */
export function encoded(part: Part): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function decoded(part = ''): Part {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Part;
}
