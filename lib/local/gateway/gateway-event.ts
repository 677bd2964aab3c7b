import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FastifyRequest } from 'fastify';
import { account } from '../template/resource-names.ts';
import type { Route } from './routes.ts';

/**
 * Makes the proxy event that API Gateway makes of a request.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export function proxyEvent(
  route: Route,
  request: FastifyRequest,
  authorizer: Record<string, unknown> | undefined,
): APIGatewayProxyEvent {
  const [path = ''] = request.url.split('?');
  const query = multiValues(request.query as Record<string, string | string[]>);
  const headers = multiValues(request.headers as Record<string, string | string[]>);
  const isBase64Encoded = isBinary(route, request);
  return {
    resource: route.path,
    path,
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: nullIfEmpty(lastValues(query)),
    multiValueQueryStringParameters: nullIfEmpty(query),
    pathParameters: nullIfEmpty(pathParameters(route.path, path)),
    stageVariables: null,
    body: Buffer.isBuffer(request.body)
      ? request.body.toString(isBase64Encoded ? 'base64' : 'utf8')
      : null,
    isBase64Encoded,
    requestContext: {
      accountId: account,
      apiId: 'local',
      authorizer,
      domainName: request.hostname,
      extendedRequestId: request.id,
      httpMethod: request.method,
      identity: { sourceIp: request.ip, userAgent: request.headers['user-agent'] ?? null },
      path,
      protocol: 'HTTP/1.1',
      requestId: request.id,
      requestTimeEpoch: Date.now(),
      resourceId: 'local',
      resourcePath: route.path,
      stage: 'local',
    } as unknown as APIGatewayProxyEvent['requestContext'],
  };
}

/** Whether the API names the media type of a body among its binary ones; the gateway looks at no parameters of it. */
function isBinary({ binaryTypes }: Route, { headers }: FastifyRequest): boolean {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  return binaryTypes.includes(mediaType.trim().toLowerCase());
}

/**
 * API Gateway hands the parameters over as they stand in the URL; Fastify would decode them. `{name+}` takes all the
 * rest, slashes too.
 */
function pathParameters(pattern: string, path: string): Record<string, string> {
  const parts = path.split('/');
  return Object.fromEntries(
    pattern.split('/').flatMap((part, index) => {
      const [, name, isGreedy] = part.match(/^\{([^}+]+)(\+)?\}$/) ?? [];
      if (!name) return [];
      return [[name, isGreedy ? parts.slice(index).join('/') : (parts[index] ?? '')]];
    }),
  );
}

function multiValues(values: Record<string, string | string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value].flat()]));
}

function lastValues(values: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.at(-1) ?? '']),
  );
}

const nullIfEmpty = <Values extends object>(values: Values) =>
  Object.keys(values).length > 0 ? values : null;
