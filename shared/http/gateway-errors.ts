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
  invalidApiKey: {
    statusCode: 401,
    body: bodyOf(
      'authentication_error',
      'invalid_api_key',
      'Missing or invalid API key. Send it as: Authorization: Bearer sk-..., or as x-api-key: sk-...',
    ),
  },
  noSuchRoute: {
    statusCode: 404,
    body: bodyOf(
      'invalid_request_error',
      'not_found',
      'There is no such route or method. A client of OpenAI’s API takes a base URL that ends in /v1, one of Anthropic’s the address alone. The routes are at /docs.',
    ),
  },
  requestTooLarge: {
    statusCode: 413,
    body: bodyOf(
      'invalid_request_error',
      'request_too_large',
      'The request is too large: 6 MB is the most, and less where much of it must be escaped, such as quotes and line breaks. A file of more than 4 MB goes through POST /v1/uploads, in parts of 4194304 bytes at most (part_size=4194304), or through Google Drive, in a batch job.',
    ),
  },
  unsupportedEncoding: {
    statusCode: 415,
    body: bodyOf(
      'invalid_request_error',
      'unsupported_content_encoding',
      'The body is not encoded by gzip or deflate as its Content-Encoding says. Send it in one of these, or as it is.',
    ),
  },
  throttled: {
    statusCode: 429,
    retryAfterSeconds: 1,
    body: bodyOf(
      'rate_limit_error',
      'rate_limit_exceeded',
      'The service is receiving too many requests. Try again shortly.',
    ),
  },
  unavailable: {
    statusCode: 503,
    retryAfterSeconds: 2,
    body: bodyOf(
      'server_error',
      'service_unavailable',
      'The service is unavailable for a moment. Try again shortly.',
    ),
  },
  notRun: {
    statusCode: 503,
    retryAfterSeconds: 2,
    body: bodyOf(
      'server_error',
      'service_unavailable',
      'The service is too busy to run this request, or failed in it. Try again shortly; if it goes on, report it with the header x-amzn-requestid.',
    ),
  },
  refusedAddress: {
    statusCode: 403,
    body: bodyOf(
      'invalid_request_error',
      'address_refused',
      'Requests from this address are refused, as it is known for abuse.',
    ),
  },
  badRequest: {
    body: bodyOf(
      'invalid_request_error',
      'bad_request',
      'The gateway could not read this request.',
    ),
  },
  internalError: {
    body: bodyOf(
      'server_error',
      'internal_error',
      'Something went wrong on our side. Quote the header x-amzn-requestid when you report it.',
    ),
  },
} satisfies Record<string, GatewayError>;

function bodyOf(type: string, code: string, message: string): GatewayError['body'] {
  return { type: 'error', detail: message, error: { message, type, param: null, code } };
}
