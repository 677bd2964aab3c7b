import { afterAll, describe, expect, it, vi } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { startSecretsServer } from '../../lib/local/secrets/secrets-server.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { ModelUnreachedError } from '../../shared/models/errors.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { freePorts } from '../support/servers/free-ports.ts';
import type { Behaviour } from '../support/servers/model-stub.ts';
import { completionOf } from '../support/servers/model-stub-pieces.ts';
import { anyBytes } from '../support/servers/rooms.ts';
import { type ModelKind, providerKey, writeCatalogue } from '../support/servers/test-catalogue.ts';
import { startModels, type TestModel } from '../support/servers/test-models.ts';

const folder = useFolder();
const [closedPort = 0] = await freePorts(1);
const models = await startModels({ suffix: '', port: 0 });
const secretValues = { 'a-secret': providerKey };
const secrets = await startSecretsServer(secretValues);
Object.assign(process.env, clientEnvironment, {
  AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
  PROVIDER_SECRETS: JSON.stringify({ openai: 'a-secret' }),
  QUIRE_CATALOGUE: writeCatalogue(folder, [{ suffix: '', port: models.port }], closedPort),
});
// The catalogue is read when its module is loaded.
const { openCompletion } = await import('../../shared/models/upstreams/fail-over.ts');
const { findModel } = await import('../../shared/models/catalogue.ts');

afterAll(() => Promise.all([models.close(), secrets.close()]));

const open = (
  model: TestModel,
  signal = new AbortController().signal,
  keyId = 'a-key',
  content = 'hi',
) =>
  openCompletion(
    findModel(model.id) as Model,
    keyId,
    { dialect: 'chat', body: { model: model.id, messages: [{ role: 'user', content }] } },
    signal,
    anyBytes(),
  );

const status = (status: number, body?: unknown, headers = {}): Behaviour => ({
  kind: 'status',
  status,
  headers,
  ...(body !== undefined && { body }),
});
const answer: Behaviour = { kind: 'pieces', pieces: [completionOf('hi')] };

/** Asks a model that answers so; answers how that fails. */
async function failure(behaviour: Behaviour, kind: ModelKind = 'plain') {
  return open(models.newModel(kind, behaviour)).then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

/** The answer in one piece, of which all is read before it is handed over. */

const countOf = ({ upstreams }: TestModel) => upstreams.map((each) => each.requests().length);

describe('a context that is too long is told', () => {
  const openai = (message: string, code: string | null = null) => ({
    error: { message, type: 'invalid_request_error', param: 'messages', code },
  });

  it.each<[string, number, unknown, string?]>([
    [
      'OpenAI',
      400,
      openai(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        'context_length_exceeded',
      ),
    ],
    [
      'OpenAI of late',
      400,
      openai('Your input exceeds the context window of this model.', 'context_length_exceeded'),
    ],
    [
      'Anthropic',
      400,
      openai('prompt is too long: 213462 tokens > 200000 maximum', 'invalid_request_error'),
    ],
    [
      'Anthropic, with the output',
      400,
      openai('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
    ],
    [
      'Gemini',
      400,
      [
        {
          error: {
            code: 400,
            message:
              'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    ],
    [
      'Mistral',
      400,
      {
        object: 'error',
        message:
          'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_prompt',
        code: '3051',
      },
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ],
    ['Groq', 400, openai('Please reduce the length of the messages or completion.')],
    [
      'xAI',
      400,
      {
        code: 'Client specified an invalid argument',
        error:
          "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    ],
    ['Bedrock', 400, openai('Input is too long for requested model.')],
    [
      'Together',
      422,
      openai(
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
      ),
    ],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message:
          'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
        code: 400,
      },
      'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      },
    ],
    ['Ollama', 400, { error: 'prompt is too long' }, 'prompt is too long'],
    ['a FastAPI server', 413, { detail: 'too many tokens' }, 'too many tokens'],
  ])('as %s says it', async (_, code, body, message) => {
    const said = message ?? (body as { error?: { message?: string } }).error?.message;

    expect(await failure(status(code, body))).toMatchObject({
      statusCode: 400,
      code: 'context_length_exceeded',
      ...(said && { message: said }),
    });
  });

  it.each([
    ['another bad request', 400, openai('Unsupported value: temperature')],
    ['a limit of tokens a minute', 429, openai('Too many tokens per minute, limit 30000')],
  ])('not by %s', async (_, code, body) => {
    expect(await failure(status(code, body))).not.toMatchObject({
      code: 'context_length_exceeded',
    });
  });
});

describe('a provider’s words reach the caller', () => {
  it.each([
    ['as they are', 'Unsupported value: 7', 'Unsupported value: 7'],
    [
      'without addresses',
      'See https://platform.example.com/docs?x=1 or wss://x.example.com/y.',
      'See (link) or (link)',
    ],
    [
      'without keys',
      'Bad key sk-proj-abc123def or gsk_abcdef123456 or AIzaSyA1234567890abcdefghij',
      'Bad key (key) or (key) or (key)',
    ],
    [
      'without our account there',
      'Rate limit reached for gpt-4o in organization org-AbC123456 on tokens per min.',
      'Rate limit reached for gpt-4o in organization (account) on tokens per min.',
    ],
  ])('%s', async (_, said, told) => {
    const error = { message: said, type: 'invalid_request_error', param: null, code: null };

    expect(await failure(status(400, { error }))).toMatchObject({ message: told });
  });

  it.each([
    ['HTML', '<html><body>nginx</body></html>'],
    ['nothing', ''],
    ['an empty object', {}],
    ['an empty list', []],
    ['null', null],
    ['a number for a message', { error: { message: 7 } }],
  ])('only as its status where they are %s', async (_, body) => {
    expect(await failure(status(400, body))).toMatchObject({
      statusCode: 400,
      code: 'invalid_request_error',
      message: 'The model provider answered 400.',
    });
  });

  it('not at all where our own credentials are refused', async () => {
    const refused = { error: { message: 'Incorrect API key provided: sk-our****key' } };

    for (const code of [401, 403]) {
      expect(await failure(status(code, refused))).toMatchObject({
        statusCode: 503,
        message: 'The model provider refused our credentials.',
      });
    }
  });

  it.each([
    ['xAI', { code: 'Invalid argument', error: 'Incorrect API key provided: xa***ey.' }],
    [
      'Google',
      [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }],
    ],
    ['Google of an old key', [{ error: { message: 'API key expired. Please renew it.' } }]],
  ])('not at all where %s refuses our credentials by a 400', async (_, body) => {
    expect(await failure(status(400, body))).toMatchObject({
      statusCode: 503,
      message: 'The model provider refused our credentials.',
    });
  });
});

describe('advice to wait', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['is passed on in seconds', { 'retry-after': '7' }, 7],
    ['is rounded up', { 'retry-after': '0.3' }, 1],
    ['is one second where there is none', {}, 1],
    ['is one second where it makes no sense', { 'retry-after': 'soon' }, 1],
    ['is one second where it is past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 1],
  ])('%s', { tags: 'exhaustive' }, async (_, headers, retryAfterSeconds) => {
    expect(await failure(status(429, undefined, headers))).toMatchObject({
      statusCode: 429,
      retryAfterSeconds,
    });
  });

  it('is understood as a date', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();

    const error = await failure(status(503, undefined, { 'retry-after': date }));

    const { retryAfterSeconds } = error as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(58);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  it('is the soonest of several upstreams’', async () => {
    const model = models.newModel('twin', status(429, undefined, { 'retry-after': '30' }));
    model.upstreams[1]?.respond(status(429, undefined, { 'retry-after': '7' }));

    await expect(open(model)).rejects.toMatchObject({
      statusCode: 429,
      code: 'model_rate_limited',
      retryAfterSeconds: 7,
    });
  });

  it('is that of an outage where one upstream throttles and the other fails', async () => {
    const model = models.newModel('twin', status(429, undefined, { 'retry-after': '30' }));
    model.upstreams[1]?.respond(status(500));

    await expect(open(model)).rejects.toMatchObject({ statusCode: 503, code: 'model_unavailable' });
  });
});

it('a model where nothing listens is one that was not reached, and one that hangs up is not', async () => {
  const failed = (model: TestModel) => open(model).catch((error: unknown) => error);

  expect(await failed(models.newModel('unreachable'))).toBeInstanceOf(ModelUnreachedError);
  const cut = await failed(models.newModel('plain', { kind: 'cut' }));
  expect(cut).toMatchObject({ statusCode: 503 });
  expect(cut).not.toBeInstanceOf(ModelUnreachedError);
});

describe('a model with two upstreams', () => {
  it.each<[string, Behaviour]>([
    ['answers 429', status(429)],
    ['answers 500', status(500)],
    ['answers 401', status(401)],
    ['cuts the connection', { kind: 'cut' }],
    ['answers HTML', { kind: 'wrong-type' }],
  ])('is answered by the second where the first %s', async (_, fault) => {
    const model = models.newModel('twin', fault);
    model.upstreams[1]?.respond(answer);

    const { whole } = await open(model);

    expect(whole?.value).toMatchObject({ choices: [{ message: { content: 'hi' } }] });
    expect(model.upstreams[1]?.requests()).toHaveLength(1);
  });

  it('does not ask the second what is the caller’s own fault', async () => {
    const model = models.newModel('twin', status(400));

    await expect(open(model)).rejects.toMatchObject({ statusCode: 400 });

    expect(countOf(model)).toEqual([1, 0]);
  });

  it('leaves the first alone after three failures in a row, and tries again after a second', async () => {
    const model = models.newModel('twin', status(500));
    const counts: number[][] = [];
    for (let n = 0; n < 5; n++) {
      await open(model);
      counts.push(countOf(model));
    }
    model.upstreams[0]?.respond(answer);

    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_001);
    await open(model);
    await open(model);

    expect(counts.at(-1)).toEqual([3, 5]);
    expect(countOf(model)).toEqual([5, 5]);
  });
});

describe('a model whose only upstream is left alone', () => {
  const left = async (keys: string[], asker: string) => {
    const model = models.newModel('plain', status(500));
    for (const key of keys) await open(model, undefined, key).catch(() => {});
    const error = await open(model, undefined, asker).catch((error: unknown) => error);
    expect(countOf(model)).toEqual([keys.length]);
    return { error, upstream: model.id };
  };

  it('says which without asking it, and when to come back', async () => {
    const { error, upstream } = await left(['one', 'two', 'one', 'two', 'one', 'two'], 'three');

    expect(error).toMatchObject({
      statusCode: 503,
      code: 'model_unavailable',
      message: `The model's provider ${upstream} failed repeatedly and is left alone for 1 s.`,
      retryAfterSeconds: 1,
    });
  });

  it('says so to a key whose own calls failed there', async () => {
    const { error, upstream } = await left(['one', 'one', 'one'], 'one');

    expect(error).toMatchObject({
      statusCode: 503,
      code: 'model_unavailable',
      message: `The last calls of this key failed at the model's provider ${upstream}, which gets no more of them for 1 s.`,
      retryAfterSeconds: 1,
    });
  });

  it('names the one of several that will be asked soonest', async () => {
    const model = models.newModel('twin', status(500));
    model.upstreams[1]?.respond([400, 400, 400, 500, 500, 500].map((code) => status(code)));
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
    for (let n = 0; n < 3; n++) await open(model).catch(() => {});
    clock.mockReturnValue(Date.now() + 1_000);
    for (let n = 0; n < 3; n++) await open(model).catch(() => {});

    await expect(open(model)).rejects.toMatchObject({
      message: expect.stringContaining(` ${model.id}-second,`),
      retryAfterSeconds: 1,
    });
  });
});

describe('a key whose requests make a provider fail', () => {
  const poison = 'what makes it fail';

  it('takes the model from no other key, at 150 calls a minute', async () => {
    const model = models.newModel('plain', ({ messages }) =>
      messages.some(({ content }) => content === poison) ? status(500) : answer,
    );
    const start = Date.now();
    const clock = vi.spyOn(Date, 'now');
    const refused: unknown[] = [];

    for (let call = 0; call < 150; call++) {
      clock.mockReturnValue(start + call * 400);
      await open(model, undefined, 'attacker', poison).catch(() => {});
      if (call % 3 === 0) await open(model, undefined, 'neighbour').catch((e) => refused.push(e));
    }

    expect(refused).toEqual([]);
  });

  it('is soon not asked for any more, while the others are', async () => {
    const model = models.newModel('plain', status(500));
    for (let call = 0; call < 20; call++) {
      await open(model, undefined, 'attacker').catch(() => {});
    }

    expect(countOf(model)).toEqual([3]);
    await open(model, undefined, 'neighbour').catch(() => {});
    expect(countOf(model)).toEqual([4]);
  });
});

describe('a request for a response', () => {
  const ask = (model: TestModel, fields: object = {}) =>
    openCompletion(
      findModel(model.id) as Model,
      'a-key',
      { dialect: 'responses', body: { model: model.id, input: 'hi', ...fields } },
      new AbortController().signal,
      anyBytes(),
    );

  it('goes on to the next upstream where the first can’t be told it', async () => {
    const model = models.newModel('mixed');

    const { whole } = await ask(model, { truncation: 'auto' });

    expect(whole?.value).toMatchObject({ object: 'response' });
    expect(countOf(model)).toEqual([0, 1]);
  });

  it('is refused by what none can be told, without harm to the upstream', async () => {
    const model = models.newModel('plain');
    const fields = [expect.objectContaining({ loc: ['body', 'truncation'] })];

    for (let times = 0; times < 4; times++) {
      await expect(ask(model, { truncation: 'auto' })).rejects.toMatchObject({ fields });
    }

    expect((await ask(model)).response.status).toBe(200);
  });

  it('fails over to an upstream of another dialect', async () => {
    const model = models.newModel('mixed', status(500));

    const { whole } = await ask(model);

    expect(whole?.value).toMatchObject({ output: [{ type: 'message' }] });
    expect(countOf(model)).toEqual([1, 1]);
  });

  it('carries no metadata', async () => {
    const model = models.newModel('responding');

    await ask(model, { metadata: { team: 'blue' } });

    expect(model.upstreams[0]?.requests()[0]?.body).not.toHaveProperty('metadata');
  });

  it('is translated where one address serves all', async () => {
    const model = models.newModel('responding');
    const address = `http://127.0.0.1:${models.port}/${model.id}/v1`;
    vi.stubEnv('OPENAI_BASE_URL', address);

    const { whole } = await ask(model);

    expect(whole?.value).toMatchObject({ object: 'response' });
    expect(model.upstreams[0]?.requests()[0]?.path).toBe(`/${model.id}/v1/chat/completions`);
    vi.unstubAllEnvs();
  });
});

describe('a provider’s secret', () => {
  it('is read again after a 401, and the call repeated with the new one', async () => {
    const model = models.newModel('plain', [status(401), answer]);
    const before = secretValues['a-secret'];
    await open(models.newModel());
    secretValues['a-secret'] = 'sk-rotated';

    const { response } = await open(model);

    secretValues['a-secret'] = before;
    expect(response.status).toBe(200);
    expect(model.upstreams[0]?.requests().map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${before}`,
      'Bearer sk-rotated',
    ]);
  });

  it('is not read a third time for one call', async () => {
    const model = models.newModel('plain', status(401));

    await expect(open(model)).rejects.toMatchObject({ statusCode: 503 });

    expect(countOf(model)).toEqual([2]);
  });
});

describe('time', () => {
  it('runs out for an upstream that does not begin to answer', { tags: 'exhaustive' }, async () => {
    expect(await failure({ kind: 'hang' }, 'hasty')).toMatchObject({
      statusCode: 503,
      message: 'The model did not answer in time.',
    });
  });

  it('runs out for the caller, and the upstream is let go', async () => {
    const model = models.newModel('plain', { kind: 'hang' });
    const abort = new AbortController();

    const opening = open(model, abort.signal);
    opening.catch(() => {});
    await models.stub.requestCount(models.stub.requests.length + 1);
    abort.abort();

    await expect(opening).rejects.toMatchObject({ statusCode: 503 });
    expect(await model.upstreams[0]?.requests()[0]?.closed).toBe('lost');
  });
});

describe('a request that is too large for the provider’s account', () => {
  const tooLarge = status(429, {
    error: {
      message:
        'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.',
      code: 'rate_limit_exceeded',
    },
  });

  it('is told so, and leaves the model to the next request', async () => {
    const model = models.newModel('plain', [tooLarge, tooLarge, tooLarge, tooLarge, answer]);

    for (let n = 0; n < 4; n++) {
      await expect(open(model)).rejects.toMatchObject({
        statusCode: 413,
        code: 'request_too_large',
      });
    }

    expect((await open(model)).response.status).toBe(200);
  });

  it('is taken by the next upstream', async () => {
    const model = models.newModel('twin', tooLarge);
    model.upstreams[1]?.respond(answer);

    expect((await open(model)).response.status).toBe(200);
    expect(countOf(model)).toEqual([1, 1]);
  });
});
