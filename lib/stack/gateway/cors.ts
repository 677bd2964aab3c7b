import { type IResource, MockIntegration } from 'aws-cdk-lib/aws-apigateway';

/** What the gateway says by itself of requests from pages of other origins. */
const preflightHeaders = {
  'Access-Control-Allow-Methods': "'GET, POST, DELETE'",
  // A wildcard covers every header but this one.
  'Access-Control-Allow-Headers': "'Authorization, *'",
  'Access-Control-Max-Age': "'3600'",
};

/**
 * Has the gateway answer the preflights for a route: which origins may call it is decided there, without a function.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-cors.html
 */
export function addPreflight(resource: IResource, origins: readonly string[]): void {
  const allowsAll = origins.includes('*');
  const headers = {
    ...preflightHeaders,
    ...(allowsAll ? { 'Access-Control-Allow-Origin': "'*'" } : { Vary: "'Origin'" }),
  };
  const named = Object.entries(headers).map(([name, value]) => [
    `method.response.header.${name}`,
    value,
  ]);
  const integration = new MockIntegration({
    requestTemplates: { 'application/json': '{"statusCode": 204}' },
    integrationResponses: [
      {
        statusCode: '204',
        responseParameters: Object.fromEntries(named),
        ...(!allowsAll && { responseTemplates: { 'application/json': allowListed(origins) } }),
      },
    ],
  });
  resource.addMethod('OPTIONS', integration, {
    methodResponses: [
      {
        statusCode: '204',
        responseParameters: Object.fromEntries(named.map(([name]) => [name, true])),
      },
    ],
  });
}

/**
 * Writes the template that allows a request's origin if it is in the list. HTTP/2 has its header in lower case.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-override-request-response-parameters.html
 */
const allowListed = (origins: readonly string[]) =>
  [
    '#set($origin = $input.params().header.get("Origin"))',
    '#if(!$origin || $origin == "")#set($origin = $input.params().header.get("origin"))#end',
    `#set($allowed = ${JSON.stringify(origins)})`,
    '#if($allowed.contains($origin))',
    '#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)',
    '#end',
  ].join('\n');

/**
 * The headers of the gateway's own errors, which hold nobody's data: of several origins the request's is allowed
 * unchecked, as no list can be.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/gateway-response-definition.html
 */
export function errorHeaders([only, ...others]: readonly string[]): Record<string, string> {
  if (only === undefined) return {};
  const exposed = { 'Access-Control-Expose-Headers': "'*'" };
  if (others.length === 0) return { ...exposed, 'Access-Control-Allow-Origin': `'${only}'` };
  return {
    ...exposed,
    'Access-Control-Allow-Origin': 'method.request.header.Origin',
    Vary: "'Origin'",
  };
}
