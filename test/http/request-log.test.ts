import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import {
  ServiceError,
  UnavailableError,
  UnprocessableEntityError,
} from '../../shared/http/errors.ts';
import { logRequest } from '../../shared/http/request-log.ts';
import { errorFields, errorWords, jobErrorWords } from '../../shared/log.ts';
import { unavailable } from '../../shared/models/errors.ts';
import { writtenLines } from '../support/run/output.ts';

const event = {
  httpMethod: 'POST',
  resource: '/v1/chat/completions',
  requestContext: { requestId: 'a-request' },
} as APIGatewayProxyEvent;

it.each<[string, number, Error | undefined, object]>([
  ['a model that is down', 503, unavailable('later'), { ProviderFaults: 1 }],
  ['Drive', 503, new ServiceError(503, 'drive_unavailable', 'later'), { ProviderFaults: 1 }],
  ['a store that is down', 503, new UnavailableError(undefined), { Faults: 1 }],
  ['an error of our own', 500, undefined, { Faults: 1 }],
  ['a refusal', 429, new ServiceError(429, 'rate_limit_exceeded', 'slower'), {}],
])('a response is counted as the fault of who is to blame: %s', (_, status, error, expected) => {
  logRequest(event, { status, error, startedAt: performance.now() });

  const [line = '{}'] = writtenLines().filter((each) => each.includes('"Errors"'));
  const { Errors, Faults, ProviderFaults } = JSON.parse(line);
  expect({ Errors, Faults, ProviderFaults }).toEqual({ Errors: 1, ...expected });
});

describe('what a caller named is in no line of the log:', () => {
  const marked = 'Zebrafish';

  it.each([
    'unsupported_file_type',
    'file_too_large',
    'too_many_lines',
    'too_many_pages',
    'invalid_lines',
    'invalid_messages',
    'model_not_found',
    'not_found',
    'conflict',
  ])('an error of the code %s', (code) => {
    const error = new ServiceError(422, code, `${marked}.zip is a ZIP archive`);

    logRequest(event, { status: 422, error, startedAt: performance.now() });
    const told = [
      ...writtenLines(),
      errorWords(error),
      jobErrorWords(`${code}: ${error.message}`),
      JSON.stringify(errorFields(error)),
      JSON.stringify(errorFields(new Error('broke', { cause: error }))),
    ].join('\n');

    expect(told).toContain(code);
    expect(told).not.toContain(marked);
  });

  it('a field of its own, within one that it can’t name', () => {
    const loc = ['body', 'extract', 'schema', 'properties', marked];
    const error = new UnprocessableEntityError([{ loc, msg: 'No', type: 'value_error' }]);

    logRequest(event, { status: 422, error, startedAt: performance.now() });

    expect(writtenLines().join()).toContain('body.extract value_error');
    expect(writtenLines().join()).not.toContain(marked);
  });
});
