import * as oauth from 'oauth4webapi';
import { settings, session } from './session.mjs';

const server = { issuer: settings.base, token_endpoint: `${settings.base}/auth/token` };
const client = { client_id: settings.id };
const options = { [oauth.allowInsecureRequests]: true };

async function token(authentication) {
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    authentication,
    new URLSearchParams(),
    options,
  );
  return oauth.processClientCredentialsResponse(server, client, response);
}

await session({
  byBody: (secret) => token(oauth.ClientSecretPost(secret)),
  byBasic: (secret) => token(oauth.ClientSecretBasic(secret)),
  // For a refusal of HTTP Basic, the library reports the challenge (RFC 6749 §5.2) instead of the error code.
  errorOf: async ({ error, response }) => error ?? (await response.json()).error,
});
