import * as oauth from 'oauth4webapi';
import { given, session } from './session.mjs';

const server = { issuer: given.base, token_endpoint: `${given.base}/auth/token` };
const client = { client_id: given.id };
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
  // A refusal by Basic is told as the challenge that RFC 6749 §5.2 wants it to carry.
  errorOf: async ({ error, response }) => error ?? (await response.json()).error,
});
