import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderObject, OpenAPIObject, OperationObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { openApiDocument } from '../../src/openapi/document.js';

/** An answer of the service, however it came about. */
export interface GivenResponse {
  method: string;
  path: string;
  status: number;
  /** By names in lower case. */
  headers: IncomingHttpHeaders;
  body: string;
}

/** Headers of HTTP itself, and how long a connection may be used. */
const OF_HTTP = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding']);
/** An operation that needs nothing: its failures are those of whatever is no operation. */
const ANY = '/api/version';

/** Compares answers with the OpenAPI document. What that leaves open, further keys and headers, is refused here. */
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

  /** What the document does not say of an answer; nothing: the answer is as documented. */
  problemsOf(answer: GivenResponse): string[] {
    const { method, path, status } = answer;
    const response = this.responseTo(answer);
    const problems = response ? this.differences(answer, response) : ['the status is not documented'];
    return problems.map((problem) => `${method} ${path}, ${status}: ${problem}`);
  }

  private responseTo({ method, path, status }: GivenResponse): ResponseObject | undefined {
    const item = this.document.paths?.[path];
    const operation = item?.[(method === 'HEAD' ? 'get' : method.toLowerCase()) as 'get'] as
      OperationObject | undefined;
    if (operation) return this.resolved(operation.responses?.[status]);
    // The description of the document says it for all other methods and paths.
    const { responses } = (item?.post ?? this.document.paths![ANY]!.get) as OperationObject;
    const likeIt = status === (item ? 405 : 404) ? 400 : status;
    return [400, 417, 429].includes(likeIt) ? this.resolved(responses?.[likeIt]) : undefined;
  }

  private differences({ method, status, headers, body }: GivenResponse, response: ResponseObject): string[] {
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
      if (value !== undefined) problems.push(...this.invalid(schema as SchemaObject, value, name));
    }
    if (!response.content) return [...problems, ...(body ? ['a body is not documented'] : [])];
    const type = headers['content-type']?.split(';')[0] ?? 'no type';
    const content = response.content[type];
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

/** The same with objects that have no further keys. */
function closed(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document, closeObject)) as OpenAPIObject;
}

function closeObject(_: string, value: unknown): unknown {
  const schema = value as SchemaObject | undefined;
  const open = schema?.type === 'object' && schema.properties && schema.additionalProperties === undefined;
  return open ? { ...schema, additionalProperties: false } : value;
}
