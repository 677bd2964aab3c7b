import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { ServiceError, UnavailableError } from '../../shared/http/errors.ts';
import { logRequest } from '../../shared/http/request-log.ts';
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
