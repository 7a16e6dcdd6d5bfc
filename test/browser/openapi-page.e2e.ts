import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
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
  const stock = await openStock(page);
  for (const { name } of fieldsOf(StockEntry)) await stock.getByText(name).first().waitFor();
  expect(problems).toEqual([]);
  expect(new Set(requests.filter((origin) => origin !== 'null'))).toEqual(new Set([managementUrl]));
});

describe.each([
  { device: 'a phone', width: 390, tallest: 1800, context: { isMobile: true, hasTouch: true } },
  { device: 'a desktop screen', width: 1400, tallest: 1300, context: {} },
])('on $device, $width px wide', ({ width, tallest, context }) => {
  let page: Page;
  let stock: Locator;
  beforeAll(async () => {
    page = await browser.newPage({ viewport: { width, height: 900 }, ...context });
    await page.goto(`${(await service.ports()).managementUrl}/docs`);
    stock = await openStock(page);
  });
  afterEach(() =>
    page.screenshot({ path: join(process.env.SCREENSHOTS ?? folder, `page-${width}.png`), fullPage: true }),
  );

  test('each response is one line until a click shows its body and its headers', async () => {
    expect((await stock.boundingBox())!.height).toBeLessThan(tallest);
    const { responses } = openApiDocument().paths!['/stock']!.get as { responses: object };
    const [toggles, bodies, details] = ['.folded-response', '.response', 'details'].map((css) => stock.locator(css));
    expect(await toggles!.locator('button').allTextContents()).toEqual(Object.keys(responses));
    expect([await bodies!.count(), await details!.count()]).toEqual([1, 1]);
    await stock.getByRole('button', { name: '429' }).click();
    await stock.getByText('API calls quota exceeded!').waitFor();
    expect(await stock.getByText('Seconds until the end of that window.').isVisible()).toBe(false);
    await details!.last().locator('summary').click();
    expect(await stock.getByText('Seconds until the end of that window.').isVisible()).toBe(true);
  });

  test('all text is at least 12 px tall, and nothing is wider than the screen', async () => {
    expect(await page.evaluate(smallTexts)).toEqual([]);
    expect(await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])).toEqual([
      width,
      width,
    ]);
  });
});

async function openStock(page: Page): Promise<Locator> {
  const stock = page.locator('#operations-Stock-readStock');
  await stock.locator('.opblock-summary').click();
  await stock.getByText('Quantities that can be ordered at the time of the request').waitFor();
  await stock.locator('.response').waitFor();
  return stock;
}

/** Returns the visible texts whose font is smaller than 12 px. Runs in the browser. */
function smallTexts(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const small: string[] = [];
  while (walker.nextNode()) {
    const { parentElement: element, textContent: text } = walker.currentNode;
    const size = Number.parseFloat(getComputedStyle(element!).fontSize);
    if (text!.trim() && element!.checkVisibility({ visibilityProperty: true }) && size < 12)
      small.push(`${size}: ${text}`);
  }
  return small;
}
