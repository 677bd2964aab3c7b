import type { FunctionHost } from '../lambda/function-host.ts';
import type { Functions } from '../lambda/functions.ts';
import { StageError } from '../stage-error.ts';
import { account, type ResourceNames, region } from '../template/resource-names.ts';
import { resolve, resourcesOf, type Template } from '../template/template.ts';
import { type Authorizer, requestAuthorizer, tokenAuthorizer } from './authorizers.ts';

/** One method of the API. */
export interface Route {
  method: string;
  /** The path in API Gateway's notation, such as `/batch/jobs/{job_id}`. */
  path: string;
  function: FunctionHost;
  /** Undefined if anyone may call it. */
  authorizer: Authorizer | undefined;
  timeoutMs: number;
  /** Whether the response is streamed. */
  streams: boolean;
  methodArn: string;
  /** The media types of bodies that are handed over in base64. */
  binaryTypes: readonly string[];
}

interface Method {
  HttpMethod: string;
  ResourceId: string;
  AuthorizationType: string;
  AuthorizerId?: string;
  Integration: {
    Type: string;
    Uri: string;
    TimeoutInMillis?: number;
    ResponseTransferMode?: string;
  };
}

/** Returns the template's routes but for preflights. Throws `StageError` for a method that is no Lambda proxy. */
export function routesOf(template: Template, names: ResourceNames, functions: Functions): Route[] {
  const authorizers = authorizersOf(template, names, functions);
  const binaryTypes = binaryTypesOf(template);
  return resourcesOf(template, 'AWS::ApiGateway::Method').flatMap(([id, { Properties }]) => {
    const method = resolve(Properties, names) as Method;
    if (method.Integration.Type === 'MOCK') return [];
    if (method.Integration.Type !== 'AWS_PROXY') {
      throw new StageError(`The local stage can't serve ${id}: it is no Lambda proxy.`);
    }
    const path = pathOf(template, names, method.ResourceId) || '/';
    const authorizer = authorizers.get(method.AuthorizerId ?? '');
    if (!authorizer && method.AuthorizationType !== 'NONE') {
      throw new StageError(`${id} has no authorizer.`);
    }
    return {
      method: method.HttpMethod,
      path,
      function: functions.find(method.Integration.Uri),
      authorizer,
      streams: method.Integration.ResponseTransferMode === 'STREAM',
      timeoutMs: method.Integration.TimeoutInMillis ?? 29_000,
      binaryTypes,
      methodArn: `arn:aws:execute-api:${region}:${account}:local/local/${method.HttpMethod}${path}`,
    };
  });
}

function binaryTypesOf(template: Template): string[] {
  return resourcesOf(template, 'AWS::ApiGateway::RestApi').flatMap(
    ([, { Properties = {} }]) => (Properties['BinaryMediaTypes'] as string[] | undefined) ?? [],
  );
}

function authorizersOf(
  template: Template,
  names: ResourceNames,
  functions: Functions,
): Map<string, Authorizer> {
  const authorizers = resourcesOf(template, 'AWS::ApiGateway::Authorizer');
  return new Map(
    authorizers.map(([id, { Properties }]) => {
      const described = resolve(Properties, names) as Record<string, string | number>;
      return [names.ref(id), authorizerOf(id, described, functions)];
    }),
  );
}

function authorizerOf(
  id: string,
  described: Record<string, string | number>,
  functions: Functions,
): Authorizer {
  const { Type, AuthorizerUri, IdentitySource, IdentityValidationExpression } = described;
  const { AuthorizerResultTtlInSeconds: ttlSeconds = 300 } = described;
  const fn = functions.find(String(AuthorizerUri));
  if (Type === 'REQUEST') {
    if (Number(ttlSeconds) === 0 && !IdentitySource) return requestAuthorizer(fn);
    throw new StageError(`The local stage can't serve ${id}: it keeps what it decides.`);
  }
  return tokenAuthorizer({
    function: fn,
    validation: new RegExp(String(IdentityValidationExpression ?? '')),
    ttlMs: Number(ttlSeconds) * 1000,
  });
}

/** Returns the path of an API Gateway resource, such as `/batch/jobs/{job_id}`. */
export function pathOf(template: Template, names: ResourceNames, resourceId: string): string {
  const found = resourcesOf(template, 'AWS::ApiGateway::Resource').find(
    ([id]) => names.ref(id) === resourceId,
  );
  if (!found) return '';
  const { ParentId, PathPart } = resolve(found[1].Properties, names) as Record<string, string>;
  return `${pathOf(template, names, ParentId ?? '')}/${PathPart}`;
}
