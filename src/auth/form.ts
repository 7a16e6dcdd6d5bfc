const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws {TypeError} unless the bytes are UTF-8, which has no overlong forms and no surrogates */
export function textOf(bytes: Buffer): string {
  return utf8.decode(bytes);
}

/** Decodes one name or value of a form. @throws {URIError} unless each `%` begins an escape, and escapes are UTF-8 */
export function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** The names and values of a form, in order. `URLSearchParams` would replace what is not UTF-8, and accept it. */
export function formPairs(text: string): [name: string, value: string][] {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const [, name, value = ''] = /^([^=]*)=?(.*)$/s.exec(pair)!;
    return [formDecoded(name!), formDecoded(value)];
  });
}
