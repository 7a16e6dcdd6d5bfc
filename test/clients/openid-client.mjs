import * as client from 'openid-client';
import { given, session } from './session.mjs';

function token(authentication) {
  const server = { issuer: given.base, token_endpoint: `${given.base}/auth/token` };
  const configuration = new client.Configuration(server, given.id, undefined, authentication);
  client.allowInsecureRequests(configuration);
  return client.clientCredentialsGrant(configuration);
}

await session({
  byBody: (secret) => token(client.ClientSecretPost(secret)),
  byBasic: (secret) => token(client.ClientSecretBasic(secret)),
  // A refusal by Basic is told as the challenge that RFC 6749 §5.2 wants it to carry.
  errorOf: async ({ error, response }) => error ?? (await response.json()).error,
});
