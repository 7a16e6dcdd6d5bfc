import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { NestFactory } from '@nestjs/core';
import { TestService, TestDatabase } from './support/test-service.js';
function raw(url: string, text: string | Buffer, ms = 1500): Promise<string> {
  return new Promise((resolve) => {
    const s = connect(Number(new URL(url).port), '127.0.0.1');
    let out = '';
    s.on('data', (d) => (out += d));
    s.on('close', () => resolve(out));
    s.on('error', (e) => (out += `ERR ${e.message}`));
    setTimeout(() => {
      if (!s.destroyed) {
        out += '<timeout>';
        s.destroy();
      }
    }, ms);
    s.write(text);
  });
}
test('probe', async () => {
  const spy = jest.spyOn(NestFactory, 'create');
  const db = await TestDatabase.create();
  const s = await TestService.start({}, db);
  const app: any = await spy.mock.results[0]!.value;
  const o: string[] = [];
  for (const l of app.getHttpAdapter().getInstance().router.stack)
    o.push(`${l.name} ${l.route ? l.route.path + ' ' + JSON.stringify(l.route.methods) : ''} ${!!l.handle.stack}`);
  const r = async (line: string, more = '', body = '') =>
    o.push(
      `--- ${line} ${more.slice(0, 80)}\n` +
        (await raw(s.url, `${line}\r\n${more}Connection: close\r\n\r\n${body}`)).slice(0, 900),
    );
  const H = 'Host: x\r\n';
  for (const l of [
    'GET /%ZZ HTTP/1.1',
    'GET /products/%E0%A4%A HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'GET * HTTP/1.1',
    'GET http://x/api/version HTTP/1.1',
    'GET http://x HTTP/1.1',
    'GET //api/version HTTP/1.1',
    'GET /api/version#x HTTP/1.1',
    'GET /api/../api/version HTTP/1.1',
    'GET /api/version/ HTTP/1.1',
    'GET /api/%76ersion HTTP/1.1',
    'GET /API/version HTTP/1.1',
    'OPTIONS /products HTTP/1.1',
    'TRACE /products HTTP/1.1',
    'HEAD /auth/token HTTP/1.1',
    'GET /auth/token HTTP/1.1',
    'OPTIONS /auth/token HTTP/1.1',
    'BREW /products HTTP/1.1',
    'GET /api/version HTTP/9.9',
    'CONNECT x:1 HTTP/1.1',
    'GET  HTTP/1.1',
    'GET /api/version?a=%ZZ HTTP/1.1',
    'GET /auth/token/ HTTP/1.1',
    'GET /auth/token/x HTTP/1.1',
    'GET /AUTH/TOKEN HTTP/1.1',
    'GET /auth/token?x=1 HTTP/1.1',
    'GET /auth HTTP/1.1',
    'HEAD /products HTTP/1.1',
    'GET / HTTP/1.1',
    'GET /api//version HTTP/1.1',
    'GET /api/version; HTTP/1.1',
    'GET api/version HTTP/1.1',
    'GET ?x HTTP/1.1',
    'GET https://evil:99999/api/version HTTP/1.1',
    'GET http://[/api/version HTTP/1.1',
    'GET /{*path} HTTP/1.1',
  ])
    await r(l, H);
  await r('GET /api/version HTTP/1.1', '');
  await r('GET /api/version HTTP/1.1', H + 'Expect: nonsense\r\n');
  await r('POST /auth/token HTTP/1.1', H + 'Expect: 100-continue\r\nContent-Length: 1\r\n', 'a');
  await r('GET /api/version HTTP/1.1', H + 'Host: y\r\n');
  await r('GET /api/version HTTP/1.1', H + `X: ${'a'.repeat(17000)}\r\n`);
  await r(`GET /api/version?${'a'.repeat(17000)} HTTP/1.1`, H);
  await r('GET /api/version HTTP/1.1', H + 'X-Request-Id: a\x01b\r\n');
  await r('GET /api/version HTTP/1.1', H + 'X-Request-Id: a\tb\r\n');
  await r('GET /api/version HTTP/1.1', H + 'X-Request-Id: a\r\nX-Request-Id: b\r\n');
  await r('GET /api/version HTTP/1.1', H + 'Upgrade: websocket\r\nConnection: Upgrade\r\n');
  await r('GET /api/version HTTP/1.1', H + 'Transfer-Encoding: chunked\r\n', 'zz\r\n');
  await r('POST /auth/token HTTP/1.1', H + 'Transfer-Encoding: chunked\r\n', 'zz\r\n');
  await r('POST /auth/token HTTP/1.1', H + 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '0\r\n\r\n');
  await r('POST /auth/token/ HTTP/1.1', H + 'Content-Length: 20000\r\n', 'a'.repeat(20000));
  await r('POST /auth/token/x HTTP/1.1', H + 'Content-Length: 20000\r\n', 'a'.repeat(20000));
  await r('POST /AUTH/token HTTP/1.1', H + 'Content-Length: 20000\r\n', 'a'.repeat(20000));
  await r('POST /auth/token HTTP/1.1', H + 'Content-Length: 20000\r\n', 'a'.repeat(20000));
  await r('DELETE /auth/token HTTP/1.1', H + 'Content-Length: 20000\r\n', 'a'.repeat(20000));
  await r('POST /auth/token HTTP/1.1', H + 'Content-Encoding: gzip\r\nContent-Length: 3\r\n', 'aaa');
  await r('POST /auth/token HTTP/1.1', H + 'Content-Encoding: foo\r\nContent-Length: 3\r\n', 'aaa');
  await r('POST /auth/token HTTP/1.1', H + 'Content-Length: 0\r\n', '');
  o.push(
    await raw(s.url, 'GARBAGE\r\n\r\n'),
    await raw(s.url, '\x16\x03\x01\x02'),
    await raw(s.url, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  );
  o.push('LOG', ...s.log);
  await db.cliOk('customer', 'list');
  await db.sql('DROP TABLE api_keys');
  o.push(
    await (
      await fetch(s.url + '/auth/token', {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      })
    ).text(),
  );
  o.push('LOG2', ...s.log);
  require('node:fs').writeFileSync('/tmp/probe.out', o.join('\n'));
  void gzipSync;
  await s.close();
});
