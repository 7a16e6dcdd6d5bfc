type Part = Readonly<Record<string, unknown>>;

/** What a token says, whoever signed it. @throws where it is no JWT */
export function partsOf(token: string): { header: Part; claims: Part; signature: string } {
  const [header, claims, signature = ''] = token.split('.');
  return { header: decoded(header), claims: decoded(claims), signature };
}

/** A part of a token as it is written. */
export function encoded(part: Part): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function decoded(part = ''): Part {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Part;
}
