import { ClientCredentials } from 'simple-oauth2';
import { settings, session } from './session.mjs';

async function token(secret, authorizationMethod) {
  const client = new ClientCredentials({
    client: { id: settings.id, secret },
    auth: { tokenHost: settings.base, tokenPath: '/auth/token' },
    options: { authorizationMethod },
  });
  return (await client.getToken({})).token;
}

await session({
  byBody: (secret) => token(secret, 'body'),
  byBasic: (secret) => token(secret, 'header'),
  errorOf: (error) => error.data?.payload?.error ?? String(error),
});
