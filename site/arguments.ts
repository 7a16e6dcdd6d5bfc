import { existsSync, readdirSync, statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the base URL that customers use, as it was written.
 * @throws if scripts and examples would not work with it
 */
export function baseUrl(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('It is not a URL: write https://HOST.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOCAL.has(url.hostname)))
    throw new InvalidArgumentError('It must start with https://. Only the local machine may have http://.');
  if (text.endsWith('/')) throw new InvalidArgumentError(`Remove the slash at the end: ${text.replace(/\/+$/, '')}.`);
  if (url.username || url.search || url.hash || /\s/.test(text))
    throw new InvalidArgumentError('It may have a host, a port and a path, and nothing else.');
  return text;
}

/** @throws if files of the site would mix with other files */
export function emptyFolder(path: string): string {
  if (!existsSync(path)) return path;
  if (!statSync(path).isDirectory()) throw new InvalidArgumentError(`${path} is a file: name a folder.`);
  if (readdirSync(path).length)
    throw new InvalidArgumentError(`${path} is not empty: delete its files, or name another folder.`);
  return path;
}
