import type { HeadersObject, OperationObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas31';
import type { DataEndpoint } from '../endpoints/data-endpoint.js';
import { deprecationHeaders } from '../endpoints/deprecation.js';
import { RESPONSES } from './responses.js';

const DESCRIPTIONS: Record<string, string> = {
  Deprecation: 'When the removal was announced (RFC 9745).',
  Sunset: 'From this time, the path may be missing (RFC 8594).',
  Link: 'A page that shows what to use instead.',
};

/** Marks an operation as deprecated if its endpoint is. Errors that occur early lack the headers. */
export function withDeprecation({ path, deprecated }: DataEndpoint, operation: OperationObject): OperationObject {
  if (!deprecated) return operation;
  const headers: HeadersObject = Object.fromEntries(
    Object.entries(deprecationHeaders(path, deprecated)).map(([name, example]) => [
      name,
      { description: DESCRIPTIONS[name]!, schema: { type: 'string', examples: [example] } },
    ]),
  );
  const responses = Object.entries(operation.responses!).map(([status, response]: [string, ResponseOrReference]) => {
    const whole = resolved(response);
    return [status, { ...whole, headers: { ...whole.headers, ...headers } }];
  });
  const { since, sunset, link } = deprecated;
  return {
    ...operation,
    deprecated: true,
    description: `Deprecated since ${since}, and available until ${sunset} at least: see ${link}.\n\n${operation.description}`,
    responses: Object.fromEntries(responses),
  };
}

type ResponseOrReference = ResponseObject | ReferenceObject;

/** A reference can have no headers of its own. */
function resolved(response: ResponseOrReference): ResponseObject {
  if (!('$ref' in response)) return response as ResponseObject;
  return RESPONSES[response.$ref.split('/').at(-1) as keyof typeof RESPONSES];
}
