import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import { streamChat } from '../../shared/chat/stream/stream-chat.ts';
import { ChatStreamRequest } from '../../shared/chat/stream-request.ts';
import type {
  AttachedFile,
  AttachedReading,
} from '../../shared/documents/attached/attached-file.ts';
import { defaultLimits, type KeyLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type JsonAnswer, useJsonServer } from '../support/servers/json-server.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { streamOf } from '../support/servers/model-stub-pieces.ts';
import { anyRoom } from '../support/servers/rooms.ts';
import { accountOf, chargesOf, followAccounts, sum } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

/** What the function `read-document` returns, or how it fails. */
type Read = (file: AttachedFile, request: IncomingMessage) => JsonAnswer | Promise<JsonAnswer>;

let read: Read;
/** The files that it was asked to read. */
let asked: AttachedFile[] = [];

const stub = await useModelStub();
const lambda = await useJsonServer((request, body) => {
  asked.push(body as AttachedFile);
  return read(body as AttachedFile, request);
});
await useStore({ modelUrl: stub.url });
Object.assign(process.env, {
  AWS_ENDPOINT_URL_LAMBDA: lambda.url,
  READ_DOCUMENT_FUNCTION: 'read-document',
});
const expectSoundAccounts = followAccounts();

const reading = (body: AttachedReading): JsonAnswer => ({ body });
const readable = () => reading({ text: 'what it says' });
const unreadable = () => reading({ unreadable: 'it is damaged' });
const never = () => new Promise<never>(() => {});

beforeEach(() => {
  stub.respond({ kind: 'pieces', pieces: streamOf(['a', 'b', 'c'], [30, 40]) });
  read = readable;
  asked = [];
});

async function newKey(limits: Partial<KeyLimits> = {}): Promise<string> {
  const keyId = `key_${crypto.randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), { ...defaultLimits, ...limits });
  return keyId;
}

const document = (name: string) => ({ name, content: 'JVBERi0xLjc=' });

/** Sends a message with so many documents, and returns the body of its answer once that begins. */
async function send(keyId: string, documents = 1, timeIsUp = new AbortController().signal) {
  const files = Array.from({ length: documents }, (_, n) => document(`${n}.pdf`));
  const { body } = await streamChat(
    v.parse(ChatStreamRequest, { message: 'Read.', files }),
    { keyId, limits: JSON.stringify(defaultLimits) },
    { requestId: 'a request', timeIsUp, note: () => {}, room: anyRoom() },
  );
  return body[Symbol.asyncIterator]();
}

async function textOf(pieces: AsyncIterator<Uint8Array | string>): Promise<string> {
  let text = '';
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    text += String(next.value);
  }
  return text;
}

/** What an account says of its requests. */
async function requestsOf(keyId: string) {
  const account = await accountOf(keyId);
  const { held, running = 0 } = account;
  const minutes = Object.entries(account).filter(([name]) => /^requests_\d+$/.test(name));
  const counted = sum(minutes.map(([, count]) => Number(count)));
  return { held, running, counted };
}

describe('a message counts before its documents are read', () => {
  it('so of twelve at once, of a key that may make one, eleven are refused and nothing of theirs is read', async () => {
    const keyId = await newKey({ requests_per_minute: 1, max_concurrent: 1 });
    const release = Promise.withResolvers<void>();
    read = async () => {
      await release.promise;
      return readable();
    };

    const refusals: unknown[] = [];
    const sent = Array.from({ length: 12 }, () =>
      send(keyId).catch((error: unknown) => {
        refusals.push(error);
        return undefined;
      }),
    );
    const seen = () => ({ refused: refusals.length, asked: asked.length });
    await expect.poll(seen, { timeout: 10_000 }).toEqual({ refused: 11, asked: 1 });
    const during = { asked: asked.length, ...(await requestsOf(keyId)) };
    release.resolve();
    const answers = (await Promise.all(sent)).filter((answer) => answer !== undefined);

    expect(during).toEqual({ asked: 1, held: 0, running: 1, counted: 1 });
    for (const error of refusals) {
      expect(error).toMatchObject({ statusCode: 429, code: 'rate_limit_exceeded' });
    }
    expect(answers).toHaveLength(1);
    for (const answer of answers) expect(await textOf(answer)).toContain('[DONE]');
    expect(asked).toHaveLength(1);
  });

  it('and stays under way, as one request, until its answer has ended', async () => {
    const keyId = await newKey({ requests_per_minute: 1, max_concurrent: 1 });

    const answer = await send(keyId);
    await answer.next();
    const during = await requestsOf(keyId);
    const text = await textOf(answer);

    expect(during).toMatchObject({ running: 1, counted: 1 });
    expect(text).toContain('[DONE]');
    expect(await requestsOf(keyId)).toEqual({ held: 0, running: 0, counted: 1 });
    expect(await chargesOf(keyId)).toMatchObject([{ status: 'settled', completion_tokens: 40 }]);
    await expectSoundAccounts();
  });

  it.each([1, 2, 3, 5])('and ends where its reader leaves after event %i', async (events) => {
    const keyId = await newKey({ max_concurrent: 1 });
    const answer = await send(keyId);
    for (let n = 0; n < events; n++) await answer.next();

    await answer.return?.();

    expect(await requestsOf(keyId)).toEqual({ held: 0, running: 0, counted: 1 });
    expect(await chargesOf(keyId)).toMatchObject([{ status: 'settled', completion_tokens: 40 }]);
  });

  it('and ends when the time of its function is up', async () => {
    const keyId = await newKey({ max_concurrent: 1 });
    const time = new AbortController();
    read = () => {
      time.abort(new Error('time is up'));
      return never();
    };

    await expect(send(keyId, 1, time.signal)).rejects.toThrow('time is up');

    expect(await requestsOf(keyId)).toEqual({ held: 0, running: 0, counted: 1 });
  });

  it.each<[string, Read, object]>([
    ['can’t be read', unreadable, { statusCode: 422 }],
    ['finds no reader', () => undefined, { statusCode: 503, code: 'document_reader_unavailable' }],
  ])('and one whose document %s counts once, and leaves nothing', async (_, fails, refusal) => {
    const keyId = await newKey({ max_concurrent: 1 });
    read = fails;

    await expect(send(keyId)).rejects.toMatchObject(refusal);

    expect(await requestsOf(keyId)).toEqual({ held: 0, running: 0, counted: 1 });
    expect(await chargesOf(keyId)).toEqual([]);
    await expectSoundAccounts();
  });

  it('and one that the model refuses after its document was read leaves nothing under way', async () => {
    const keyId = await newKey({ max_concurrent: 1 });
    stub.respond({ kind: 'status', status: 400, body: { error: { message: 'no' } } });

    await expect(send(keyId)).rejects.toMatchObject({ statusCode: 400 });

    expect(await requestsOf(keyId)).toEqual({ held: 0, running: 0, counted: 1 });
  });
});

it('each document is read for its key, and a text that is too long for a message is refused', async () => {
  const keyId = await newKey();

  await textOf(await send(keyId));

  expect(asked).toEqual([
    {
      keyId,
      ...{ name: '0.pdf', mimeType: '', content: { base64: 'JVBERi0xLjc=' } },
      limits: { characters: 1_000_000, jsonBytes: 5_000_000, longer: 'refused' },
    },
  ]);
});

it('when one document can’t be read, no other is begun or waited for', async () => {
  const keyId = await newKey();
  const given: Promise<unknown>[] = [];
  const four = Promise.withResolvers<void>();
  read = async (file, { socket }) => {
    if (asked.length === 4) four.resolve();
    if (file.name !== '2.pdf') {
      given.push(once(socket, 'close'));
      return never();
    }
    await four.promise;
    return unreadable();
  };

  const refused = send(keyId, 12);

  await expect(refused).rejects.toMatchObject({
    fields: [
      { loc: ['body', 'files', 2, 'content'], msg: expect.stringContaining('it is damaged') },
    ],
  });
  await Promise.all(given);
  expect(asked.map(({ name }) => name).sort()).toEqual(['0.pdf', '1.pdf', '2.pdf', '3.pdf']);
});

it('nothing is read of a message with a document that is not sent in base64', async () => {
  const keyId = await newKey();
  const files = [document('a.pdf'), { name: 'b.pdf', content: 'no base64' }];

  const refused = streamChat(
    v.parse(ChatStreamRequest, { message: 'Read.', files }),
    { keyId, limits: JSON.stringify(defaultLimits) },
    {
      requestId: 'a request',
      timeIsUp: new AbortController().signal,
      note: () => {},
      room: anyRoom(),
    },
  );

  await expect(refused).rejects.toMatchObject({
    fields: [{ loc: ['body', 'files', 1, 'content'] }],
  });
  expect(asked).toEqual([]);
  expect(await requestsOf(keyId)).toEqual({ held: 0, running: 0, counted: 0 });
});
