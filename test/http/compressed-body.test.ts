import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { parseRequest } from '../../shared/http/request.ts';

const parse = (body: string, headers: Record<string, string>) =>
  parseRequest({ body: v.object({}) }, { body, headers } as unknown as APIGatewayProxyEvent);

it.each(['gzip', 'br', 'deflate', 'gzip, br'])(
  'a body of Content-Encoding %s is a 415',
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

it.each([{}, { 'content-encoding': 'identity' }, { 'content-encoding': '' }])(
  'a body with the headers %j is read',
  (headers) => {
    expect(parse('{}', headers as Record<string, string>)).toEqual({ body: {} });
  },
);
