import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseUrl, emptyFolder } from './arguments.js';

test.each([
  'https://data.example.com',
  'https://data.example.com:8443/api',
  'http://localhost:3000',
  'http://[::1]:80',
])('accepts %s as base URL', (url) => {
  expect(baseUrl(url)).toBe(url);
});

test.each([
  ['data.example.com', 'It is not a URL'],
  ['http://data.example.com', 'It must start with https://'],
  ['ftp://localhost', 'It must start with https://'],
  ['https://data.example.com/', 'Remove the slash at the end: https://data.example.com.'],
  ['https://data.example.com/api//', 'Remove the slash at the end: https://data.example.com/api.'],
  ['https://data.example.com?x=1', 'nothing else'],
  ['https://data.example.com#x', 'nothing else'],
  ['https://user:secret@data.example.com', 'nothing else'],
  ['https://data.example.com/a b', 'nothing else'],
])('rejects %s as base URL, and states the reason', (url, reason) => {
  expect(() => baseUrl(url)).toThrow(reason);
});

test('accepts only a new or an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-site-'));
  try {
    expect(emptyFolder(folder)).toBe(folder);
    expect(emptyFolder(join(folder, 'new'))).toBe(join(folder, 'new'));
    writeFileSync(join(folder, 'file'), '');
    expect(() => emptyFolder(folder)).toThrow('is not empty: delete its files');
    expect(() => emptyFolder(join(folder, 'file'))).toThrow('is a file: name a folder');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
