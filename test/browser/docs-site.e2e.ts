import express from 'express';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { writeDocsSite } from '../support/docs-site.js';

/** The path of Chromium, set by jest.config.mjs. */
declare const CHROMIUM: string;

let site: string;
let browser: Browser;
let server: Server;
let url: string;
let page: Page;
const [origins, problems] = [new Set<string>(), [] as string[]];
beforeAll(async () => {
  site = await writeDocsSite('https://data.wholesaler.example');
  server = express().use(express.static(site)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Chromium has no sandbox as root, and CI runs as root.
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });
  page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
}, 240_000);
afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(site, { recursive: true, force: true });
});

test('no page is wider than a phone, and every page loads files of the site only', async () => {
  const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  expect(pages).toContain('endpoints.html');
  const wide: string[] = [];
  for (const file of pages) {
    await page.goto(`${url}/${file}`, { waitUntil: 'networkidle' });
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== 390) wide.push(file);
  }
  expect(wide).toEqual([]);
  expect(problems).toEqual([]);
  expect([...origins].filter((origin) => origin !== 'null')).toEqual([url]);
}, 120_000);

test('the search finds Retry-After and opens the page with it', async () => {
  await page.goto(url);
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.locator('input[type=search]').fill('Retry-After');
  const result = page.locator('.results a', { hasText: 'After 429' });
  await result.click();
  await page.waitForURL('**/polling.html#after-429');
  await page.getByText('Wait this number of seconds, then continue').waitFor();
});

test('a link to a script downloads it', async () => {
  await page.goto(url);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'sync.sh', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('sync.sh');
});
