const { BASE, CLIENT_ID, CLIENT_SECRET } = process.env;

/** What each client is given. */
export const given = { base: BASE, id: CLIENT_ID, secret: CLIENT_SECRET };

/**
 * What every client does, and prints as JSON; the others in this folder do the same in their languages.
 * @param tokens how this library gets a token, with a secret, in the form or by HTTP Basic, as `{ access_token, … }`
 * @param errorOf the error code of RFC 6749 in what it throws
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
      skus: JSON.parse(text).map(({ SKU }) => SKU),
      again: again.status,
      gzip: [packed.headers.get('Content-Encoding'), unpacked === text],
      quota: [refusal.status, Number(refusal.headers.get('Retry-After')) > 0, (await refusal.json()).message],
    }),
  );
}
