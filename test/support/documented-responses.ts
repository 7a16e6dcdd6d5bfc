import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { IncomingHttpHeaders } from 'node:http';
import type {
  ContentObject,
  HeaderObject,
  OpenAPIObject,
  OperationObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { openApiDocument } from '../../src/openapi/document.js';
import { OTHER_FORMATS } from '../../src/openapi/operations.js';

/** A response of the service. */
export interface ObservedResponse {
  method: string;
  path: string;
  status: number;
  /** By names in lower case. */
  headers: IncomingHttpHeaders;
  body: string;
}

/** Headers of HTTP itself, including those about the connection. */
const OF_HTTP = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding']);
/** An operation without requirements. Requests for unknown paths and methods fail in the same ways. */
const ANY = '/api/version';

/** Compares responses with the OpenAPI document. Keys and headers that the document leaves open are rejected here. */
export class DocumentedResponses {
  private readonly document = closed(openApiDocument());
  private readonly ajv = new Ajv2020({ strict: true, allErrors: true });
  private readonly validators = new Map<object, ValidateFunction>();

  constructor() {
    formats.default(this.ajv);
    this.ajv.addFormat('decimal', { type: 'number', validate: () => true });
    this.ajv.addFormat('password', true);
    this.ajv.addVocabulary(['components']);
    this.ajv.addSchema({ $id: 'document', components: this.document.components });
  }

  /** Returns the differences of a response from the document; none if it is as documented. */
  problemsOf(observed: ObservedResponse): string[] {
    const { method, path, status } = observed;
    const response = this.responseTo(observed);
    const problems = response ? this.differences(observed, response) : ['the status is not documented'];
    return problems.map((problem) => `${method} ${path}, ${status}: ${problem}`);
  }

  private responseTo({ method, path, status }: ObservedResponse): ResponseObject | undefined {
    const item = this.document.paths?.[path];
    const operation = item?.[(method === 'HEAD' ? 'get' : method.toLowerCase()) as 'get'] as
      OperationObject | undefined;
    if (operation) return this.resolved(operation.responses?.[status]);
    // The document covers all other methods and paths in its description.
    const { responses } = (item?.post ?? this.document.paths![ANY]!.get) as OperationObject;
    const documentedStatus = status === (item ? 405 : 404) ? 400 : status;
    return [400, 417, 429].includes(documentedStatus) ? this.resolved(responses?.[documentedStatus]) : undefined;
  }

  private differences({ method, status, headers, body }: ObservedResponse, response: ResponseObject): string[] {
    const documented = Object.entries(response.headers ?? {}).map(
      ([name, header]) => [name.toLowerCase(), this.resolved<HeaderObject>(header)] as const,
    );
    const names = new Set(documented.map(([name]) => name));
    const problems = Object.keys(headers)
      .filter((name) => !names.has(name) && !OF_HTTP.has(name) && !(name === 'allow' && status === 405))
      .map((name) => `the header ${name} is not documented`);
    for (const [name, { required, schema }] of documented) {
      const value = headers[name];
      if (value === undefined && required) problems.push(`the header ${name} is missing`);
      if (value !== undefined)
        problems.push(...this.invalid(schema as SchemaObject, typed(value, schema as SchemaObject), name));
    }
    if (!response.content) return [...problems, ...(body ? ['a body is not documented'] : [])];
    const type = headers['content-type']?.split(';')[0] ?? 'no type';
    const content = response.content[type] ?? (response[OTHER_FORMATS] as ContentObject | undefined)?.[type];
    if (!content) return [...problems, `a body of ${type} is not documented`];
    if (method === 'HEAD') return problems;
    const value: unknown = type === 'application/json' ? JSON.parse(body) : body;
    return [...problems, ...this.invalid(content.schema as SchemaObject, value, 'the body')];
  }

  private invalid(schema: SchemaObject, value: unknown, what: string): string[] {
    const validate = this.validators.get(schema) ?? this.compiled(schema);
    if (validate(value)) return [];
    return validate.errors!.slice(0, 5).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  }

  private compiled(schema: SchemaObject): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = this.ajv.compile(JSON.parse(text) as object);
    this.validators.set(schema, validate);
    return validate;
  }

  private resolved<T extends object = ResponseObject>(part: T | { $ref: string }): T;
  private resolved<T extends object = ResponseObject>(part: T | { $ref: string } | undefined): T | undefined;
  private resolved(part?: object): object | undefined {
    const reference = (part as { $ref?: string } | undefined)?.$ref;
    if (!reference) return part;
    return reference
      .slice(2)
      .split('/')
      .reduce<Record<string, never>>((parent, name) => parent[name]!, this.document as never);
  }
}

/** Returns the number of a header in decimal digits, as generated clients do, if the header is documented as a number. */
function typed(value: string | string[], schema: SchemaObject): unknown {
  return schema.type === 'integer' && /^(0|[1-9]\d*)$/.test(String(value)) ? Number(value) : value;
}

/** Returns a copy of the document that allows no additional keys in any object. */
function closed(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document, closeObject)) as OpenAPIObject;
}

function closeObject(_: string, value: unknown): unknown {
  const schema = value as SchemaObject | undefined;
  const open = schema?.type === 'object' && schema.properties && schema.additionalProperties === undefined;
  return open ? { ...schema, additionalProperties: false } : value;
}
