import * as client from 'openid-client';
import { settings, session } from './session.mjs';

function token(authentication) {
  const server = { issuer: settings.base, token_endpoint: `${settings.base}/auth/token` };
  const configuration = new client.Configuration(server, settings.id, undefined, authentication);
  client.allowInsecureRequests(configuration);
  return client.clientCredentialsGrant(configuration);
}

await session({
  byBody: (secret) => token(client.ClientSecretPost(secret)),
  byBasic: (secret) => token(client.ClientSecretBasic(secret)),
  // For a refusal of HTTP Basic, the library reports the challenge (RFC 6749 §5.2) instead of the error code.
  errorOf: async ({ error, response }) => error ?? (await response.json()).error,
});
