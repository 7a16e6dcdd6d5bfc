import { TestService } from './support/test-service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.close());

test('GET /api/version tells the profile without a token', async () => {
  const response = await service.get('/api/version');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.text()).toBe('{"apiVersion":"2026-04"}');
});

test('GET /health is exactly "Healthy", as plain text that nobody keeps (decision 12)', async () => {
  const response = await service.get('/health');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.text()).toBe('Healthy');
});

test('the probes answer on the management port only (decision 28)', async () => {
  for (const path of ['/livez', '/readyz']) {
    expect((await fetch(service.managementUrl + path)).status).toBe(200);
    expect((await service.get(path)).status).toBe(404);
  }
  expect((await fetch(`${service.managementUrl}/products`)).status).toBe(404);
});
