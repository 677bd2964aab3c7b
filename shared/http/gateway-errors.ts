import { completionErrorType } from './error-response.ts';

/** An error that the gateway answers with before any function is asked. */
export interface GatewayError {
  /** Absent for a group of errors whose status the gateway chooses. */
  statusCode?: number;
  /** When to try again; absent where waiting changes nothing, or nobody knows. */
  retryAfterSeconds?: number;
  /** For all clients: `detail`; `error` for chat completions; `error` and `type` for Messages. */
  body: {
    type: 'error';
    detail: string;
    error: { message: string; type: string; param: null; code: string };
  };
}

export type GatewayErrors = Record<keyof typeof gatewayErrors, GatewayError>;

/** The gateway's errors: the stack sets the gateway up with them, and the API's document lists them. */
export const gatewayErrors = {
  invalidApiKey: gatewayError(
    401,
    'invalid_api_key',
    'Missing or invalid API key. Send it as: Authorization: Bearer sk-..., or as x-api-key: sk-...',
  ),
  noSuchRoute: gatewayError(
    404,
    'not_found',
    'There is no such route or method. A client of OpenAI’s API takes a base URL that ends in /v1, one of Anthropic’s the address alone. The routes are at /docs.',
  ),
  requestTooLarge: gatewayError(
    413,
    'request_too_large',
    'The request is too large: 6 MB is the most, and less where much of it must be escaped, such as quotes and line breaks. A file of more than 4 MB goes through POST /v1/uploads, in parts of 4194304 bytes at most (part_size=4194304), or through Google Drive, in a batch job.',
  ),
  unsupportedEncoding: gatewayError(
    415,
    'unsupported_content_encoding',
    'The body is not encoded by gzip or deflate as its Content-Encoding says. Send it in one of these, or as it is.',
  ),
  throttled: gatewayError(
    429,
    'rate_limit_exceeded',
    'The service is receiving too many requests. Try again shortly.',
    1,
  ),
  unavailable: gatewayError(
    503,
    'service_unavailable',
    'The service is unavailable for a moment. Try again shortly.',
    2,
  ),
  notRun: gatewayError(
    503,
    'service_unavailable',
    'The service is too busy to run this request, or failed in it. Try again shortly; if it goes on, report it with the header x-amzn-requestid.',
    2,
  ),
  refusedAddress: gatewayError(
    403,
    'address_refused',
    'Requests from this address are refused, as it is known for abuse.',
  ),
  badRequest: { body: bodyOf(400, 'bad_request', 'The gateway could not read this request.') },
  internalError: {
    body: bodyOf(
      500,
      'internal_error',
      'Something went wrong on our side. Quote the header x-amzn-requestid when you report it.',
    ),
  },
} satisfies Record<string, GatewayError>;

function gatewayError(
  statusCode: number,
  code: string,
  message: string,
  retryAfterSeconds?: number,
): GatewayError & { statusCode: number } {
  const error = { statusCode, body: bodyOf(statusCode, code, message) };
  return retryAfterSeconds === undefined ? error : { ...error, retryAfterSeconds };
}

function bodyOf(statusCode: number, code: string, message: string): GatewayError['body'] {
  const type = completionErrorType(statusCode);
  return { type: 'error', detail: message, error: { message, type, param: null, code } };
}
