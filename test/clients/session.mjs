const { BASE, CLIENT_ID, CLIENT_SECRET } = process.env;

/** The settings of every client. */
export const settings = { base: BASE, id: CLIENT_ID, secret: CLIENT_SECRET };

/**
 * The steps of every client. The result is printed as JSON. The other clients in this folder do the same in their
 * languages.
 * @param library `byBody` and `byBasic` request a token with a secret, in the form or in HTTP Basic. They return
 *   `{ access_token, … }`. `errorOf` returns the error code of RFC 6749 from an exception of the library.
 */
export async function session({ byBody, byBasic, errorOf }) {
  const body = await byBody(CLIENT_SECRET);
  const basic = await byBasic(CLIENT_SECRET);
  const refused = (request) => request('wrong').then(() => 'a token', errorOf);
  const wrong = [await refused(byBody), await refused(byBasic)];
  const get = (headers = {}) =>
    fetch(`${BASE}/stock`, { headers: { Authorization: `Bearer ${basic.access_token}`, ...headers } });
  const plain = await get({ 'Accept-Encoding': 'identity' });
  const text = await plain.text();
  const again = await get({ 'Accept-Encoding': 'identity', 'If-None-Match': plain.headers.get('ETag') });
  const packed = await get({ 'Accept-Encoding': 'gzip' });
  const unpacked = await packed.text();
  const skus = JSON.parse(text).map(({ SKU }) => SKU);
  let refusal = await get();
  for (let calls = 0; refusal.status === 200 && calls < 50; calls++) {
    await refusal.arrayBuffer();
    refusal = await get();
  }
  console.log(
    JSON.stringify({
      types: [body.token_type.toLowerCase(), basic.token_type.toLowerCase()],
      expires: [body.expires_in, basic.expires_in],
      wrong,
      skus,
      complete: decodeURIComponent(plain.headers.get('X-Last-SKU')) === skus.at(-1),
      again: again.status,
      gzip: [packed.headers.get('Content-Encoding'), unpacked === text],
      quota: [refusal.status, Number(refusal.headers.get('Retry-After')) > 0, (await refusal.json()).message],
    }),
  );
}
