import type { IncomingHttpHeaders } from 'node:http';
import { resourcesOf, type Template } from '../template/template.ts';

export interface GatewayResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * The statuses of the responses that API Gateway gives by itself.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const statuses = {
  ACCESS_DENIED: 403,
  AUTHORIZER_FAILURE: 500,
  BAD_REQUEST_BODY: 400,
  INTEGRATION_FAILURE: 502,
  INTEGRATION_TIMEOUT: 504,
  MISSING_AUTHENTICATION_TOKEN: 403,
  REQUEST_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNAUTHORIZED: 401,
};

export type GatewayResponseType = keyof typeof statuses;

/** A response that the gateway makes by itself, as the template declares it. */
export interface Declared {
  StatusCode?: string;
  ResponseParameters?: Record<string, string>;
  ResponseTemplates?: Record<string, string>;
}

export type GatewayResponses = ReturnType<typeof gatewayResponses>;

/** Returns what makes the gateway response of a type to a request with these headers, as the template declares it. */
export function gatewayResponses(template: Template) {
  const declared = new Map(
    resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => {
      const response = Properties as unknown as Declared & { ResponseType: string };
      return [response.ResponseType, response];
    }),
  );
  return (type: GatewayResponseType, request: IncomingHttpHeaders = {}): GatewayResponse => {
    const status = statuses[type];
    const response =
      declared.get(type) ?? declared.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
    const body = response?.ResponseTemplates?.['application/json'];
    return {
      status: Number(response?.StatusCode ?? status),
      headers: { 'content-type': 'application/json', ...headersOf(response, request) },
      body: body ?? JSON.stringify({ message: type }),
    };
  };
}

/**
 * Reads the declared headers: `gatewayresponse.header.Name: "'value'"`, or `method.response.…`, is the header `name: value`.
 * The value `method.request.header.Name` is the value of the request's header.
 */
export function headersOf(
  { ResponseParameters = {} }: Declared = {},
  request: IncomingHttpHeaders = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ResponseParameters).flatMap(([name, value]) => {
      const asked = value.match(/^method\.request\.header\.(.+)$/)?.[1];
      const sent = asked ? request[asked.toLowerCase()] : value.replace(/^'|'$/g, '');
      const header = name
        .replace(/^(gatewayresponse|method\.response)\.header\./, '')
        .toLowerCase();
      return typeof sent === 'string' ? [[header, sent]] : [];
    }),
  );
}
