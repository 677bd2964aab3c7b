import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { parseRequest } from '../../shared/http/request.ts';

const parse = (body: string, headers: Record<string, string>) =>
  parseRequest({ body: v.object({}) }, { body, headers } as unknown as APIGatewayProxyEvent);

it.each(['gzip', 'br', 'deflate', 'gzip, br'])(
  'a body of Content-Encoding %s that nobody has unpacked is a 415',
  (encoding) => {
    const body = gzipSync('{}').toString();

    expect(() => parse(body, { 'Content-Encoding': encoding })).toThrow(
      expect.objectContaining({
        statusCode: 415,
        message: `A body of Content-Encoding ${encoding} is not taken: send it uncompressed.`,
      }),
    );
  },
);

// API Gateway unpacks a body, and hands the header over with it.
it.each([
  {},
  { 'content-encoding': 'identity' },
  { 'content-encoding': '' },
  { 'content-encoding': 'gzip' },
])('a body with the headers %j is read', (headers) => {
  expect(parse('{}', headers as Record<string, string>)).toEqual({ body: {} });
});
