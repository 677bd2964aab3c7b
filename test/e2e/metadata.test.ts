import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../shared/http/errors.ts';
import type { JobRecord } from '../../shared/jobs/routes/record.ts';
import { call, chatJob, submit } from '../support/servers/api.ts';
import { endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { complete, post, question } from '../support/servers/event-reader.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`tag ${n}`, String(n)]));

/** As much as there may be: 16 pairs, of 64 and 512 characters. */
const most = Object.fromEntries(
  Array.from({ length: 16 }, (_, n) => [
    `${n}`.padStart(2, '0') + '😀'.repeat(62),
    '漢'.repeat(512),
  ]),
);

const faults: [string, unknown, string][] = [
  ['17 pairs', pairs(17), 'Dictionary should have at most 16 items after validation, not 17'],
  [
    'a name of 65 characters',
    { 'a tag': 'x', ['secret'.padEnd(65, 'n')]: 'x' },
    'Value error, pair 2 has a name of more than 64 characters',
  ],
  [
    'a value of 513 characters',
    { secret: 'secret'.padEnd(513, 'v') },
    'Value error, pair 1 has a value of more than 512 characters',
  ],
  ['a number', { secret: 5 }, 'Value error, pair 1 has a value that is no string'],
  ['null as a value', { secret: null }, 'Value error, pair 1 has a value that is no string'],
  ['an object in it', { secret: {} }, 'Value error, pair 1 has a value that is no string'],
  ['an empty name', { '': 'secret' }, 'Value error, pair 1 has an empty name'],
  [
    'a name of the language',
    { constructor: 'secret' },
    'Value error, pair 1 has a name that can’t be kept',
  ],
  [
    'half a surrogate pair in a name',
    { 'secret\ud83d': 'x' },
    'Value error, pair 1 has a name that can’t be kept',
  ],
  [
    'half a surrogate pair in a value',
    { secret: '\ud83d' },
    'Value error, pair 1 has a value that is no valid Unicode',
  ],
  ['a list', ['secret'], 'Input should be a valid dictionary'],
  ['a string', 'secret', 'Input should be a valid dictionary'],
];

describe.each(faults)('metadata with %s', (_, metadata, msg) => {
  it('is a 400 of a completion that names the field, and no tag', async () => {
    const model = chat.newModel();

    const { status, body } = await call(account, 'POST', '/v1/chat/completions', {
      ...{ model: model.id, messages: question, metadata },
    });

    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        message: `metadata: ${msg.replace('Value error, ', '')}`,
        type: 'invalid_request_error',
        param: 'metadata',
        code: 'invalid_request_error',
      },
    });
    expect(model.upstreams[0]?.requests()).toEqual([]);
  });

  it.each([
    ['a job', '/batch/jobs', chatJob('Hi', { metadata })],
    ['a chat', '/chat/stream', { message: 'Hi', metadata }],
  ])('is a 422 of %s that names the field, and no tag', async (_, path, body) => {
    const answer = await call<{ detail: FieldError[] }>(account, 'POST', path, body);

    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ loc: ['body', 'metadata'], msg }]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });
});

describe('metadata of a completion', () => {
  it.each([
    ['as much as there may be', most],
    ['a value that is empty', { customer: '' }],
  ])('is kept on its charge, and told to no model: %s', async (_, metadata) => {
    const caller = await chat.newAccount();
    const model = chat.newModel();

    await (await complete(caller, { model: model.id, metadata })).text();

    const [charge] = await endedCharges(caller);
    expect(charge).toMatchObject({ tags: ['chat'], metadata });
    expect(model.upstreams[0]?.requests()[0]?.body).not.toHaveProperty('metadata');
  });

  it.each([{}, null])('leaves nothing on its charge where it has no pair: %j', async (metadata) => {
    const caller = await chat.newAccount();

    await (await complete(caller, { model: chat.newModel().id, metadata })).text();

    expect((await endedCharges(caller))[0]).not.toHaveProperty('metadata');
  });
});

it('metadata of a chat is kept on its charge', async () => {
  const caller = await chat.newAccount();
  const model = chat.newModel();
  const metadata = { customer: 'acme' };

  await (await post(caller, '/chat/stream', { message: 'Hi', model: model.id, metadata })).text();

  expect(await endedCharges(caller)).toMatchObject([{ tags: ['chat'], metadata }]);
  expect(model.upstreams[0]?.requests()[0]?.body).not.toHaveProperty('metadata');
});

describe('metadata of a job', () => {
  it('is on its record, in lists too', async () => {
    const caller = await chat.newAccount();

    const { id, metadata } = await submit(caller, chatJob('Hi', { metadata: most }));
    const read = await call<JobRecord>(caller, 'GET', `/batch/jobs/${id}`);
    const list = await call<{ jobs: JobRecord[] }>(caller, 'GET', '/batch/jobs');

    expect(metadata).toEqual(most);
    expect(read.body.metadata).toEqual(most);
    expect(list.body.jobs.map((job) => job.metadata)).toEqual([most]);
  });

  it.each([undefined, null, {}])('is null on the record of one with %j', async (metadata) => {
    const job = await submit(await chat.newAccount(), chatJob('Hi', { metadata }));

    expect(job.metadata).toBeNull();
  });
});
