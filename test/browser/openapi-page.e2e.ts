import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { fieldsOf } from '../../src/resource/field.decorator.js';
import { StockEntry } from '../../src/stock/stock-entry.entity.js';
import { openApiDocument } from '../../src/openapi/document.js';
import { ServiceProcess } from '../support/service-process.js';

/** The path of Chromium, set by jest.config.mjs. */
declare const CHROMIUM: string;

const folder = mkdtempSync(join(tmpdir(), 'customer-data-page-'));
let browser: Browser;
let service: ServiceProcess;
beforeAll(async () => {
  service = ServiceProcess.start({ DEMO_DATA: 'false' }, folder);
  // Chromium has no sandbox as root, and CI runs as root.
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });
});
afterAll(async () => {
  await browser?.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the page shows every operation with the fields of its response and loads nothing from other hosts', async () => {
  const { managementUrl } = await service.ports();
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  const [requests, problems]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(new URL(request.url()).origin));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${managementUrl}/docs`);
  await page.getByText('/auth/token').first().waitFor();
  expect(await page.locator('.opblock').count()).toBe(Object.keys(openApiDocument().paths!).length);
  await page.locator('#operations-Stock-readStock .opblock-summary').click();
  await page.getByText('Quantities that can be ordered at the time of the request').waitFor();
  for (const { name } of fieldsOf(StockEntry))
    await page.locator('#operations-Stock-readStock').getByText(name).first().waitFor();
  await page.screenshot({ path: process.env.SCREENSHOT ?? join(folder, 'page.png'), fullPage: true });
  expect(problems).toEqual([]);
  expect(new Set(requests.filter((origin) => origin !== 'null'))).toEqual(new Set([managementUrl]));
});
