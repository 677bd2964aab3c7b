import { ThrottlingException, UnsupportedDocumentException } from '@aws-sdk/client-textract';
import { describe, expect, it } from 'vitest';
import { failureOf, toServiceError } from '../../shared/ocr/textract-errors.ts';

const named = (name: string, fields: object = {}) =>
  Object.assign(new Error(name), { name }, fields);
const throttle = new ThrottlingException({ message: 'Rate exceeded', $metadata: {} });
const unsupported = new UnsupportedDocumentException({ message: 'No', $metadata: {} });

describe('a failure', () => {
  it.each([
    ['of its own class', throttle, 'throttled'],
    ['known by its name alone', named('TooManyRequestsException'), 'throttled'],
    ['known by its status', named('Unknown', { $metadata: { httpStatusCode: 429 } }), 'throttled'],
    ['marked by the SDK', named('Unknown', { $retryable: { throttling: true } }), 'throttled'],
    ['that is a cause', new Error('The page failed', { cause: throttle }), 'throttled'],
    [
      'that is the cause of a cause of a permanent one',
      Object.assign(unsupported, { cause: new Error('wrapped', { cause: throttle }) }),
      'throttled',
    ],
    ['among several', new AggregateError([named('Other'), throttle]), 'throttled'],
    ['with its type in the body', { __type: 'com.amazonaws#SlowDown' }, 'throttled'],
    ['of the network', named('Error', { code: 'ECONNRESET' }), 'unavailable'],
    ['of a name service', named('Error', { code: 'EAI_AGAIN' }), 'unavailable'],
    ['of a timeout', named('TimeoutError'), 'unavailable'],
    ['in an answer that is no JSON', new SyntaxError('Unexpected token <'), 'unavailable'],
    ['of the server', named('X', { $metadata: { httpStatusCode: 502 } }), 'unavailable'],
    ['of expired credentials', named('ExpiredTokenException'), 'forbidden'],
    ['of no credentials', named('CredentialsProviderError'), 'forbidden'],
    ['of a validation', named('ValidationException'), 'unreadable'],
    ['of our own code', new TypeError('undefined is not a function'), 'unknown'],
    ['that is no error', 'broken', 'unknown'],
  ])('%s', (_what, error, failure) => {
    expect(failureOf(error)).toBe(failure);
  });

  it('that is its own cause ends', () => {
    const loop = named('Loop');
    loop.cause = loop;

    expect(failureOf(loop)).toBe('unknown');
  });

  it('unknown is passed on as it is', () => {
    const error = new TypeError('undefined is not a function');

    expect(toServiceError(error)).toBe(error);
  });
});
