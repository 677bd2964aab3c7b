/** A response that is sent in one piece. */
export interface TextResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** Makes a JSON response, which ends its line in a terminal. */
export function json(
  statusCode: number,
  body: object,
  headers: Record<string, string> = {},
): TextResponse {
  return {
    statusCode,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${JSON.stringify(body)}\n`,
  };
}
