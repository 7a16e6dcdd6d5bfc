import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { LIFETIME_SECONDS } from '../auth/access-token-claims.js';
import { API_PROFILE } from '../http/api-profile.js';
import { hasChanges } from '../endpoints/data-endpoint.js';
import { DATA_ENDPOINTS } from '../endpoints/data-endpoints.js';
import { changesSchemaOf, schemasOf } from './field-schemas.js';
import { HEADERS } from './headers.js';
import { BASIC, paths, TOKEN } from './operations.js';
import { ERROR_SCHEMAS, RESPONSES } from './responses.js';

const DESCRIPTION = `A wholesaler's customers fetch their own products, stock and prices. Each response contains only
what this customer may buy, at this customer's prices. The access token alone identifies the customer.

- **Every key is always present.** An unknown value is \`null\`, an empty list is \`[]\`. Ignore unknown keys and headers.
- **Numbers are exact decimals.** Do not parse money into binary floats.
- **A response is complete or detectably broken.** If the service cannot finish a response, it resets the connection
  before the last chunk. Some HTTP libraries do not report this: compare the last element with \`X-Last-SKU\`. Discard
  an incomplete response and retry.
- **Quotas** apply to the customer, not to a key or a token: see the \`X-Rate-Limit-*\` headers. After a 429 or a 500
  with \`Retry-After\`, wait this number of seconds. After another 5xx, back off.
- \`HEAD\` is supported wherever \`GET\` is. Another method returns 405 with \`Allow\`, an unknown path returns 404. Both
  have an \`Error\` as body, or a \`TokenError\` on \`/auth/token\`. Bytes that are not HTTP return 400, 408 or 431 and do
  not count.`;

/** Describes the whole interface. It uses the same declarations as the responses. */
export function openApiDocument(): OpenAPIObject {
  return {
    openapi: '3.1.1',
    info: { title: 'Customer Data Service', version: API_PROFILE, description: DESCRIPTION },
    servers: [
      {
        url: 'https://{host}',
        description: 'The address at which the wholesaler runs the service.',
        variables: {
          host: {
            default: 'customer-data.example',
            description: 'Host name of the service. You receive it with the API key.',
          },
        },
      },
    ],
    tags: [
      { name: 'Authentication', description: 'Access tokens.' },
      ...DATA_ENDPOINTS.map(({ tag, summary }) => ({ name: tag, description: `${summary}.` })),
      { name: 'Service', description: 'Usage of the quota, version and health of the service.' },
    ],
    paths: paths(),
    components: {
      securitySchemes: {
        [TOKEN]: {
          type: 'oauth2',
          description: `A bearer token (RFC 6750) from \`POST /auth/token\`, valid for ${LIFETIME_SECONDS} seconds.`,
          flows: { clientCredentials: { tokenUrl: '/auth/token', scopes: {} } },
        },
        [BASIC]: {
          type: 'http',
          scheme: 'basic',
          description: 'Customer Code and API key. For the token request only.',
        },
      },
      schemas: {
        ...Object.assign({}, ...DATA_ENDPOINTS.map(({ resource }) => schemasOf(resource))),
        ...Object.assign({}, ...DATA_ENDPOINTS.filter(hasChanges).map(({ resource }) => changesSchemaOf(resource))),
        ...SCHEMAS,
        ...ERROR_SCHEMAS,
      },
      responses: RESPONSES,
      headers: HEADERS,
    },
  };
}

const SCHEMAS: Record<string, SchemaObject> = {
  TokenResponse: {
    type: 'object',
    properties: {
      access_token: { type: 'string', description: 'A JSON Web Token. Send it unchanged.' },
      token_type: { type: 'string', const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Lifetime in seconds.', examples: [LIFETIME_SECONDS] },
    },
    required: ['access_token', 'token_type', 'expires_in'],
  },
  Schema: {
    type: 'object',
    properties: {
      endpoint: {
        type: 'string',
        description: 'The path of the described endpoint.',
        enum: DATA_ENDPOINTS.map(({ path }) => path),
      },
      apiVersion: { type: 'string', description: 'The API profile, the same as in `GET /api/version`.' },
      fields: { type: 'array', items: { $ref: '#/components/schemas/SchemaField' } },
      arrays: {
        type: 'object',
        description: 'The nested arrays. Each key is the name with its first letter in lower case. Products only.',
        additionalProperties: {
          type: 'object',
          properties: {
            wireName: { type: 'string', description: 'The key in data responses.' },
            fields: { type: 'array', items: { $ref: '#/components/schemas/SchemaField' } },
          },
          required: ['wireName', 'fields'],
        },
      },
    },
    required: ['endpoint', 'apiVersion', 'fields'],
  },
  SchemaField: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The key in data responses, with its first letter in lower case.' },
      type: { type: 'string', examples: ['string', 'integer', 'decimal', 'boolean', 'date', 'datetime'] },
      required: { type: 'boolean', description: 'True only for the SKU of the element itself.' },
      wireName: { type: 'string', description: 'The key in data responses.' },
    },
    required: ['name', 'type', 'required', 'wireName'],
  },
  Usage: {
    type: 'object',
    properties: {
      windows: {
        type: 'array',
        description: 'The minute, then the hour.',
        items: { $ref: '#/components/schemas/UsageWindow' },
      },
      keyExpiresAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When the API key behind the token expires, in UTC. `null` if it never expires.',
      },
    },
    required: ['windows', 'keyExpiresAt'],
  },
  UsageWindow: {
    type: 'object',
    properties: {
      window: { type: 'string', description: 'The name, as in `X-Rate-Limit-Limit`.', enum: ['1m', '1h'] },
      limit: { type: 'integer', description: 'Requests that the window admits.' },
      used: { type: 'integer', description: 'Requests that the window has counted, including this one.' },
      remaining: { type: 'integer', description: 'Requests left in the window.' },
      resetsAt: { type: 'string', format: 'date-time', description: 'When the window ends, in UTC.' },
    },
    required: ['window', 'limit', 'used', 'remaining', 'resetsAt'],
  },
  Version: {
    type: 'object',
    properties: { apiVersion: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}$' } },
    required: ['apiVersion'],
  },
};
