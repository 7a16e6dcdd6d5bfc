const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. @throws {TypeError} if the bytes are invalid UTF-8, such as overlong forms or surrogates */
export function textOf(bytes: Buffer): string {
  return utf8.decode(bytes);
}

/** Decodes one name or value of a form. @throws {URIError} if a `%` begins no escape, or the escapes are not UTF-8 */
export function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/**
 * Returns the names and values of a form in their order. `URLSearchParams` is too lenient: it replaces invalid UTF-8
 * instead of failing.
 * @throws {URIError} see {@link formDecoded}
 */
export function formPairs(text: string): [name: string, value: string][] {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const [, name, value = ''] = /^([^=]*)=?(.*)$/s.exec(pair)!;
    return [formDecoded(name!), formDecoded(value)];
  });
}
