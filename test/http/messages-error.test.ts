import { describe, expect, it, vi } from 'vitest';
import { NotFoundError, ServiceError, valueError } from '../../shared/http/errors.ts';
import { messagesError } from '../../shared/http/messages-error.ts';

const answer = (error: unknown) => {
  const { statusCode, headers, body } = messagesError(error, 'request-1');
  return { statusCode, headers, body: JSON.parse(body) };
};

describe('an error of Messages', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [503, 'overloaded_error'],
  ])('with status %i has the type %s', (statusCode, type) => {
    const error = new ServiceError(statusCode, 'a_code', 'A sentence.');

    expect(answer(error)).toEqual({
      statusCode,
      headers: { 'content-type': 'application/json', 'request-id': 'request-1' },
      body: { type: 'error', error: { type, message: 'A sentence.' }, request_id: 'request-1' },
    });
  });

  it('names the field that is wrong, with 400', () => {
    const { statusCode, body } = answer(valueError(['body', 'tools', 0, 'name'], 'it has none'));

    expect(statusCode).toBe(400);
    expect(body.error).toEqual({
      type: 'invalid_request_error',
      message: 'tools.0.name: it has none',
    });
  });

  it('of a spent budget is not to be tried again, though it renews', () => {
    const options = { retryAfterSeconds: 86_400, details: { budget: { max_usd: 1 } } };
    const error = new ServiceError(429, 'budget_exceeded', 'Budget exceeded.', options);

    const { headers, body } = answer(error);

    expect(headers).toMatchObject({ 'x-should-retry': 'false', 'retry-after': '86400' });
    expect(body.error).toMatchObject({ type: 'billing_error', budget: { max_usd: 1 } });
  });

  it('of a budget that running requests hold may be tried again', () => {
    const error = new ServiceError(429, 'budget_exceeded', 'It fits soon.', {
      retryAfterSeconds: 1,
    });

    const { headers, body } = answer(error);

    expect(headers).not.toHaveProperty('x-should-retry');
    expect(body.error.type).toBe('rate_limit_error');
  });

  it('of a prompt that is too long says so in the words that clients read', () => {
    const error = (message: string) => new ServiceError(400, 'context_length_exceeded', message);

    expect(answer(error('Too many words.')).body.error.message).toBe(
      'prompt is too long: Too many words.',
    );
    const own = 'prompt is too long: 210000 tokens > 200000 maximum';
    expect(answer(error(own)).body.error.message).toBe(own);
  });

  it('that callers may not see is logged, and named by its request', () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    const { statusCode, body } = answer(new Error('a secret of ours'));
    write.mockRestore();

    expect(statusCode).toBe(500);
    expect(body.error).toEqual({
      type: 'api_error',
      message: expect.stringContaining('request-1'),
    });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('of a model that isn’t there says which', () => {
    expect(answer(new NotFoundError('The model x does not exist.')).body.error).toEqual({
      type: 'not_found_error',
      message: 'The model x does not exist.',
    });
  });
});
