import type { IncomingHttpHeaders } from 'node:http';
import { resourcesOf, type Template } from '../template/template.ts';

export interface GatewayResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * The responses that API Gateway gives by itself: each one's status, and the default that the template may
 * declare in its place.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const defaults: Record<string, { status: number; fallback: string }> = {
  ACCESS_DENIED: { status: 403, fallback: 'DEFAULT_4XX' },
  AUTHORIZER_FAILURE: { status: 500, fallback: 'DEFAULT_5XX' },
  BAD_REQUEST_BODY: { status: 400, fallback: 'DEFAULT_4XX' },
  INTEGRATION_FAILURE: { status: 502, fallback: 'DEFAULT_5XX' },
  INTEGRATION_TIMEOUT: { status: 504, fallback: 'DEFAULT_5XX' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, fallback: 'DEFAULT_4XX' },
  REQUEST_TOO_LARGE: { status: 413, fallback: 'DEFAULT_4XX' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, fallback: 'DEFAULT_4XX' },
  UNAUTHORIZED: { status: 401, fallback: 'DEFAULT_4XX' },
};

export type GatewayResponseType = keyof typeof defaults & string;

interface Declared {
  ResponseType: string;
  StatusCode?: string;
  ResponseParameters?: Record<string, string>;
  ResponseTemplates?: Record<string, string>;
}

/** The gateway responses that the template declares. */
export class GatewayResponses {
  private readonly declared: Map<string, Declared>;

  constructor(template: Template) {
    this.declared = new Map(
      resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => {
        const response = Properties as unknown as Declared;
        return [response.ResponseType, response];
      }),
    );
  }

  /** Returns the response of one type to a request with these headers. */
  get(type: GatewayResponseType, request: IncomingHttpHeaders = {}): GatewayResponse {
    const { status, fallback } = defaults[type] ?? { status: 500, fallback: 'DEFAULT_5XX' };
    const declared = this.declared.get(type) ?? this.declared.get(fallback);
    const body = declared?.ResponseTemplates?.['application/json'];
    return {
      status: Number(declared?.StatusCode ?? status),
      headers: { 'content-type': 'application/json', ...headersOf(declared, request) },
      body: body ?? JSON.stringify({ message: type }),
    };
  }
}

/**
 * Reads the declared headers: `gatewayresponse.header.Name: "'value'"` is the header `name: value`. The value
 * `method.request.header.Name` is the value of the request's header.
 */
function headersOf(
  declared: Declared | undefined,
  request: IncomingHttpHeaders,
): Record<string, string> {
  const parameters = Object.entries(declared?.ResponseParameters ?? {});
  return Object.fromEntries(
    parameters.flatMap(([name, value]) => {
      const asked = value.match(/^method\.request\.header\.(.+)$/)?.[1];
      const sent = asked ? request[asked.toLowerCase()] : value.replace(/^'|'$/g, '');
      const header = name.replace('gatewayresponse.header.', '').toLowerCase();
      return typeof sent === 'string' ? [[header, sent]] : [];
    }),
  );
}
