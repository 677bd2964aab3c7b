import type { IncomingHttpHeaders } from 'node:http';
import { StageError } from '../stage-error.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { resolve, resourcesOf, type Template } from '../template/template.ts';
import { type Declared, headersOf } from './gateway-responses.ts';
import { pathOf } from './routes.ts';

/** A route that the gateway answers by itself: a preflight, as `lib/stack/gateway/cors.ts` declares them. */
export interface Preflight {
  path: string;
  status: number;
  /** The response's headers for a request's. */
  headersFor(request: IncomingHttpHeaders): Record<string, string>;
}

interface MockMethod {
  HttpMethod: string;
  ResourceId: string;
  Integration: { Type: string; IntegrationResponses?: Declared[] };
}

/** Returns the template's preflights. Throws `StageError` for a mock integration that is something else. */
export function preflightsOf(template: Template, names: ResourceNames): Preflight[] {
  return resourcesOf(template, 'AWS::ApiGateway::Method').flatMap(([id, { Properties }]) => {
    const method = resolve(Properties, names) as MockMethod;
    const { Type, IntegrationResponses: [response, ...others] = [] } = method.Integration;
    if (Type !== 'MOCK') return [];
    if (method.HttpMethod !== 'OPTIONS' || !response || others.length > 0) {
      throw new StageError(`The local stage can't serve ${id}: it is no preflight.`);
    }
    const allowed = allowedOrigins(id, response);
    const headers = headersOf(response);
    return {
      path: pathOf(template, names, method.ResourceId) || '/',
      status: Number(response.StatusCode),
      headersFor: ({ origin = '' }) =>
        allowed.includes(origin) ? { ...headers, 'access-control-allow-origin': origin } : headers,
    };
  });
}

/** The one template that is understood, instead of all of Velocity: it allows the origins of a list. */
const allowsListed =
  /^#set\(\$origin = .*\n.*\n#set\(\$allowed = (?<list>\[.*\])\)\n#if\(\$allowed\.contains\(\$origin\)\)\n#set\(\$context\.responseOverride\.header\.Access-Control-Allow-Origin = \$origin\)\n#end$/;

function allowedOrigins(id: string, { ResponseTemplates }: Declared): string[] {
  if (!ResponseTemplates) return [];
  const list = ResponseTemplates['application/json']?.match(allowsListed)?.groups?.['list'];
  if (list === undefined) throw new StageError(`The local stage can't read the template of ${id}.`);
  return JSON.parse(list) as string[];
}
