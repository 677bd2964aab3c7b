import { describe, expect, it } from 'vitest';
import type { JobList, JobRecord } from '../../shared/jobs/routes/record.ts';
import { call, chatJob, chatResultOf, submit, type Target, until } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { post as postTo, question, TextReader } from '../support/servers/event-reader.ts';
import { done, gate, streamOf } from '../support/servers/model-stub-pieces.ts';

const megabyte = 1024 * 1024;

const chat = await useChatStage();
const account = await chat.newAccount();
const model = chat.newModel('roomy', ({ messages }) => {
  const [, characters] = String(messages[0]?.content).match(/^quotes (\d+)/) ?? [];
  return { kind: 'answer', content: '"'.repeat(Number(characters ?? 1)) };
});
const requests = () => model.upstreams[0]?.requests() ?? [];

const job = (content: string) => chatJob(content, { model: model.id });
const quotes = (characters: number) => job(`quotes ${characters}`);

const post = (target: Target, job: object) => call<JobRecord>(target, 'POST', '/batch/jobs', job);

describe('a request', () => {
  it('of just under 6 MB is accepted, and reaches the model whole', {
    tags: 'exhaustive',
  }, async () => {
    const content = 'a'.repeat(6 * megabyte - 10_000);

    const { status, body } = await post(account, job(content));

    expect(status).toBe(202);
    await until(account, body.id);
    const asked = requests().map((request) => request.body.messages[0]?.content);
    expect(asked.includes(content)).toBe(true);
  });

  it.each([
    ['just over 6', 6 * megabyte],
    ['over 10', 10 * megabyte],
    ['20', 20 * megabyte],
  ])('of %s MB is answered 413, for both kinds of client', async (_, bytes) => {
    const { status, body } = await post(account, job('a'.repeat(bytes)));

    const message =
      'The request is too large: 6 MB is the most, and less where much of it must be escaped, such as quotes and line breaks. A file of more than 4 MB goes through POST /v1/uploads, in parts of 4194304 bytes at most (part_size=4194304), or through Google Drive, in a batch job.';
    expect(status).toBe(413);
    expect(body).toEqual({
      type: 'error',
      detail: message,
      error: { message, type: 'invalid_request_error', param: null, code: 'request_too_large' },
    });
  });
});

describe('a request that is large only once it is escaped', () => {
  // Lambda gets the body as a string within JSON: a quote of the content is \" in the body, and \\\" there.
  const ofQuotes = (escapedBytes: number) => JSON.stringify(job('"'.repeat(escapedBytes / 4)));

  it('is answered 413 when that is over 6 MB, though as it was sent it is half of that', async () => {
    const body = ofQuotes(6 * megabyte);

    const { status } = await call(account, 'POST', '/batch/jobs', body);

    expect(body.length).toBeLessThan(3.1 * megabyte);
    expect(status).toBe(413);
  });

  it('is accepted below that', async () => {
    const { status } = await call(account, 'POST', '/batch/jobs', ofQuotes(5.9 * megabyte));

    expect(status).toBe(202);
  });
});

describe('ten requests of 6 MB of empty objects', () => {
  const empty = `[${Array(2_000_000).fill('{}').join(',')}]`;

  it.each([
    ['/v1/chat/completions', { stream: true, messages: question }, '"messages":#', 400, 'messages'],
    ['/chat/stream', { message: 'Hi' }, '"message":"Hi","chat_history":#', 422, 'chat_history'],
  ])(
    'to %s are refused, and a neighbour’s stream ends whole',
    { tags: 'exhaustive' },
    async (path, body, wrong, status, field) => {
      const rest = gate();
      async function* pieces() {
        const [first = '', ...others] = streamOf(['a', 'b', 'c']);
        yield* [first, others[0] ?? ''];
        await rest.opened;
        yield* others.slice(1);
      }
      const model = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });
      const neighbour = await chat.newAccount();
      const stream = new TextReader(await postTo(neighbour, path, { ...body, model: model.id }));
      await stream.until('"a"');

      const hostile = `{"model":"${model.id}",${wrong.replace('#', () => empty)}}`;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => call(account, 'POST', path, hostile)),
      );
      rest.open();

      for (const answer of answers) {
        expect(answer).toMatchObject({ status });
        expect(JSON.stringify(answer.body)).toMatch(
          new RegExp(`${field}.*Input should have at most 500000 values`),
        );
      }
      const text = await stream.rest();
      expect(text).toContain('"c"');
      expect(text.endsWith(done)).toBe(true);
    },
  );

  it('to /batch/jobs are refused, and a neighbour’s job is done', async () => {
    const hostile = `{"job_type":"chat","inline":{"messages":${empty}}}`;
    const refused = Array.from({ length: 10 }, () => call(account, 'POST', '/batch/jobs', hostile));
    const neighbour = await chat.newAccount();
    const { id } = await submit(neighbour, quotes(1));

    for (const answer of await Promise.all(refused)) {
      expect(answer).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'inline'] }] },
      });
    }
    expect(await until(neighbour, id)).toMatchObject({ status: 'done' });
  });
});

describe('messages', () => {
  it.each([
    ['of more than 100 KB', 150_000],
    ['of more than a table item may hold', 1_000_000],
  ])('%s reach the model unchanged, unnamed keys too', async (_, characters) => {
    const role = 'user';
    const content = `${characters} `.padEnd(characters, 'äö😀"\\\u0000 ');
    const messages = [{ role, content, weight: { of: 1 } }];

    const { id } = await submit(account, {
      job_type: 'chat',
      model: model.id,
      inline: { messages },
    });

    expect(await until(account, id)).toMatchObject({ status: 'done' });
    expect(
      requests().find((request) => request.body.messages[0]?.content === content),
    ).toMatchObject({ body: { messages } });
  });
});

describe('a result', () => {
  it.each([1, 24_000, 60_000, 300_000])('of %d characters is read whole', async (characters) => {
    const { id } = await submit(account, quotes(characters));

    const job = await until(account, id);

    expect(job.status).toBe('done');
    expect(chatResultOf(job)?.content).toBe('"'.repeat(characters));
    expect(chatResultOf(job)?.usage.total_tokens).toBeGreaterThan(0);
  });

  it.each([24_900, 49_900])(
    'of %d characters, 50 times over, is listed within the size of an answer',
    { tags: 'exhaustive' },
    async (characters) => {
      const caller = await chat.newAccount();
      const jobs = Array.from({ length: 50 }, () => submit(caller, quotes(characters)));
      for (const { id } of await Promise.all(jobs)) await until(caller, id);

      const { status, body } = await call<JobList>(caller, 'GET', '/batch/jobs');

      expect(status).toBe(200);
      expect(body.jobs).toHaveLength(50);
      for (const result of body.jobs.map(chatResultOf)) {
        expect(result?.usage.total_tokens).toBeGreaterThan(0);
        expect(['"'.repeat(characters), null]).toContain(result?.content);
      }
    },
  );
});
