import fc from 'fast-check';
import type { Target } from '../support/servers/api.ts';
import { mutated } from './mutations.ts';
import type { Pool, SchemaValues } from './schema-values.ts';
import type { Answer, Operation, Parameter, ServedDocument } from './served-document.ts';

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
  { parameters = [], requestBody }: Operation,
  values: SchemaValues,
  keys: string[],
): fc.Arbitrary<OperationRequest> {
  const media = requestBody?.content['application/json'];
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
  { parameters = [], requestBody }: Operation,
  pool: Pool,
  keys: string[],
): OperationRequest[] {
  const [name] = parameters.flatMap((each) => (each.in === 'path' ? each.name : []));
  const paths = name ? (pool.get(name) ?? []).map((value) => ({ [name]: String(value) })) : [{}];
  const [example] = Object.values(requestBody?.content['application/json'].examples ?? {});
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
  { parameters = [], requestBody }: Operation,
  request: OperationRequest,
): boolean {
  const media = requestBody?.content['application/json'];
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
  { method, path, parameters = [] }: Operation,
  { parameters: given, body, isCut, authorization }: OperationRequest,
): Promise<Answer> {
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
  const text = JSON.stringify(body) ?? '';
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers,
    ...(method === 'post' && { body: isCut ? text.slice(0, -1) : text }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
