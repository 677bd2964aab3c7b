import type { APIGatewayProxyResult } from 'aws-lambda';

/** A JSON response. */
export function json(statusCode: number, body: object): APIGatewayProxyResult {
  return {
    statusCode,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
