import fc from 'fast-check';
import type { Target } from '../support/servers/api.ts';
import { mutated } from './mutations.ts';
import type { Pool, SchemaValues } from './schema-values.ts';
import {
  type Answer,
  bodyOf,
  formType,
  type Operation,
  type Parameter,
  type ServedDocument,
} from './served-document.ts';

/** A request of an operation, before it is written down. */
export interface OperationRequest {
  parameters: Record<string, string>;
  body?: unknown;
  /** Whether the end of the body is missing. */
  isCut: boolean;
  authorization: string | undefined;
}

/** Requests of an operation: what the document allows, and what it doesn't. */
export function requestsOf(
  operation: Operation,
  values: SchemaValues,
  keys: string[],
): fc.Arbitrary<OperationRequest> {
  const { parameters = [] } = operation;
  const media = bodyOf(operation);
  const examples = Object.values(media?.examples ?? {}).map(({ value }) => value);
  return fc.record(
    {
      parameters: fc.record(
        Object.fromEntries(parameters.map((each) => [each.name, parameterValues(each, values)])),
        { requiredKeys: parameters.filter((each) => each.in === 'path').map(({ name }) => name) },
      ),
      ...(media && {
        body: mutated(fc.oneof(values.of(media.schema), fc.constantFrom(...examples))),
      }),
      isCut: rarely(fc.constant(true), fc.constant(false)),
      authorization: rarely(
        fc.constantFrom(undefined, '', 'Bearer sk-', `Bearer sk-${'A'.repeat(43)}`, keys[0]),
        fc.constantFrom(...keys).map((key) => `Bearer ${key}`),
      ),
    },
    { requiredKeys: ['parameters', 'isCut', 'authorization'] },
  );
}

/** Requests of each key with all that must be given: the first example of a body, and each thing that a path may name. */
export function plainRequests(
  operation: Operation,
  pool: Pool,
  keys: string[],
): OperationRequest[] {
  const { parameters = [] } = operation;
  const [name] = parameters.flatMap((each) => (each.in === 'path' ? each.name : []));
  const paths = name ? (pool.get(name) ?? []).map((value) => ({ [name]: String(value) })) : [{}];
  const [example] = Object.values(bodyOf(operation)?.examples ?? {});
  return paths.flatMap((path) =>
    [...new Set(keys)].map((key) => ({
      parameters: path,
      ...(example && { body: example.value }),
      isCut: false,
      authorization: `Bearer ${key}`,
    })),
  );
}

const rarely = <Value>(arbitrary: fc.Arbitrary<Value>, usual: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: usual, weight: 20 }, { arbitrary, weight: 1 });

/** What a path or a header can carry; a query takes anything. */
const carried: Record<Parameter['in'], RegExp> = {
  path: /^[^./\\].{0,300}$/u,
  query: /^.{0,300}$/u,
  header: /^[!-~]{0,300}$/,
};

function parameterValues(
  { name, in: part, schema }: Parameter,
  values: SchemaValues,
): fc.Arbitrary<string> {
  const usual = values.of(schema, name).map(String);
  const odd = fc.stringMatching(carried[part]);
  return fc
    .oneof({ arbitrary: usual, weight: 4 }, { arbitrary: odd, weight: 1 })
    .filter((text) => carried[part].test(text) && text.isWellFormed());
}

/** Whether the document allows a request. */
export function isAllowed(
  served: ServedDocument,
  operation: Operation,
  request: OperationRequest,
): boolean {
  const { parameters = [] } = operation;
  const media = bodyOf(operation);
  if (media && (request.isCut || request.body === undefined)) return false;
  if (media && served.errorsOf(media.schema, request.body).length > 0) return false;
  return parameters.every(({ name, required, schema }) => {
    const text = request.parameters[name];
    if (text === undefined) return !required;
    const isNumber = schema.type === 'integer' && /^[+-]?\d+$/.test(text);
    return served.errorsOf(schema, isNumber ? Number(text) : text).length === 0;
  });
}

/** Sends a request to a stage. */
export async function sendRequest(
  { base_url }: Target,
  operation: Operation,
  { parameters: given, body, isCut, authorization }: OperationRequest,
): Promise<Answer> {
  const { method, path, parameters = [] } = operation;
  const url = new URL(
    base_url + path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given[name] ?? '')),
  );
  const headers = new Headers({ ...(authorization !== undefined && { authorization }) });
  for (const { name, in: part } of parameters) {
    const value = given[name];
    if (value === undefined) continue;
    if (part === 'query') url.searchParams.set(name, value);
    if (part === 'header') headers.set(name, value);
  }
  const isForm = operation.requestBody?.content[formType] !== undefined;
  const form = isForm && typeof body === 'object' && body !== null && formOf(body);
  const sent = form || new Response(JSON.stringify(body) ?? '');
  if (form) headers.set('content-type', form.headers.get('content-type') ?? '');
  const bytes = await sent.bytes();
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers,
    // Of a form the mark of its end is cut.
    ...(method === 'post' && { body: isCut ? bytes.subarray(0, form ? -6 : -1) : bytes }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Writes an object as a form: texts of files as files, other values as texts, and those in objects by `a[b]`. */
function formOf(body: object): Response {
  const form = new FormData();
  const add = (name: string, value: unknown, isFile = false): void => {
    if (value === null || value === undefined) return;
    if (isFile && typeof value === 'string') form.append(name, new Blob([value]), 'file.txt');
    else if (typeof value !== 'object') form.append(name, String(value));
    else if (Object.keys(value).length === 0) form.append(name, '');
    else for (const [inner, each] of Object.entries(value)) add(`${name}[${inner}]`, each);
  };
  for (const [name, value] of Object.entries(body)) {
    add(name, value, ['file', 'data'].includes(name));
  }
  return new Response(form);
}
