import { beforeEach, describe, expect, it } from 'vitest';
import { forwardStream } from '../../shared/chat/forward-stream.ts';
import { readCompletion } from '../../shared/chat/metered-call.ts';
import { catalogue, findModel, type Model } from '../../shared/models/catalogue.ts';
import { messageEvent, messageOf, messageStream } from '../support/servers/message-stub.ts';
import { type Behaviour, useModelStub } from '../support/servers/model-stub.ts';
import { chunk, completionOf, event, streamOf } from '../support/servers/model-stub-pieces.ts';
import {
  messageItem,
  responseEvents,
  responseOf,
  responseStream,
} from '../support/servers/responses-stub.ts';
import { accountOf, chargesOf } from '../support/worlds/ledger-world.ts';
import { openKey, openMeteredCall } from '../support/worlds/model-calls.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

const own = findModel('gpt-4.1') as Model;
const upstream = catalogue.upstreams['openai'];
if (upstream) upstream.idleTimeoutMs = 250;

type Name = 'chat' | 'responses' | 'messages';

/** What a stream has in a dialect. */
interface Spoken {
  /** What comes before any content. */
  begun: string[];
  /** Its content, and all after that. */
  said: string[];
  error: string;
  /** A tool's name, without its arguments. */
  call: string;
  asked: object;
}

const error = { type: 'overloaded_error', code: 'server_error', message: 'Overloaded' };
const begunResponse = responseStream([messageItem('hello world')], [30, 40]);
const begunMessage = messageStream([{ type: 'text', text: 'hello world' }], {
  ...{ input_tokens: 30, output_tokens: 40 },
});
const spoken: Record<Name, Spoken> = {
  chat: {
    begun: [': ping\n\n', chunk({ role: 'assistant', content: '' })],
    said: streamOf(['hello ', 'world'], [30, 40]).slice(1),
    error: event({ error }),
    call: chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look' } }] }),
    asked: { messages: [{ role: 'user', content: 'hi' }] },
  },
  responses: {
    begun: begunResponse.slice(0, 3),
    said: begunResponse.slice(3),
    error: responseEvents(
      [{ type: 'response.failed', response: { ...responseOf([], null), status: 'failed', error } }],
      3,
    ).join(''),
    call: responseEvents(
      [
        {
          ...{ type: 'response.output_item.added', output_index: 1 },
          item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look' },
        },
      ],
      3,
    ).join(''),
    asked: { input: 'hi' },
  },
  messages: {
    begun: begunMessage.slice(0, 2),
    said: begunMessage.slice(2),
    error: messageEvent({ type: 'error', error }),
    call: messageEvent({
      ...{ type: 'content_block_start', index: 0 },
      content_block: { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
    }),
    asked: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 1_000 },
  },
};

/** How an upstream fails before its first content, and how its prompt is paid then, if another answers. */
const faults: [string, (of: Spoken) => Behaviour, 'free' | 'paid'][] = [
  ['reports an error first', ({ error }) => pieces([error]), 'free'],
  ['reports an error second', ({ begun, error }) => pieces([...begun, error]), 'free'],
  [
    'reports an error after a call’s name',
    ({ begun, call, error }) => pieces([...begun.slice(0, 2), call, error]),
    'free',
  ],
  [
    'reports an error in JSON',
    () => pieces([JSON.stringify({ error })], 'end', 'application/json'),
    'free',
  ],
  ['ends at once', () => pieces([]), 'free'],
  ['ends before its content', ({ begun }) => pieces(begun), 'free'],
  ['is cut at once', () => pieces([], 'cut'), 'paid'],
  ['is cut before its content', ({ begun }) => pieces(begun, 'cut'), 'paid'],
  ['falls silent before its content', ({ begun }) => pieces(begun, 'hang'), 'paid'],
  ['sends what is no JSON', ({ begun }) => pieces([...begun, 'data: {"a\n\n']), 'paid'],
];

const pieces = (pieces: string[], ending: 'end' | 'cut' | 'hang' = 'end', type?: string) =>
  ({ kind: 'pieces', pieces, ending, ...(type && { type }) }) satisfies Behaviour;

let models = 0;
let keyId: string;

beforeEach(async () => {
  keyId = await openKey(100);
});

/** Opens a call of a model with these upstreams, which no other test shares. */
function open(asks: Name, stream: boolean, upstreams: [Name, Behaviour][]) {
  const names = upstreams.map((_, index) => `theirs-${models}-${index}`);
  models += 1;
  stub.respond(({ model }) => upstreams[names.indexOf(model)]?.[1]);
  const call = openMeteredCall({
    keyId,
    model: {
      ...own,
      upstreams: upstreams.map(([speaks], index) => ({
        ...{ upstream: 'openai', model: names[index] ?? '', dialects: [speaks] },
      })),
    },
    dialect: asks,
    body: { model: own.id, ...spoken[asks].asked, stream },
    subject: { tags: ['chat'] },
    signal: new AbortController().signal,
  });
  return { call, asked: () => stub.requests.filter(({ model }) => names.includes(model)).length };
}

async function textOf(opening: ReturnType<typeof open>['call'], asks: Name): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of forwardStream(opening, true, () => {}, asks)) {
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts).toString();
}

const names = Object.keys(spoken) as Name[];
const pairs = names.flatMap((asks) => names.map((speaks) => [asks, speaks] as const));
const starts = {
  chat: /"role":"assistant"/g,
  responses: /"type":"response.created"/g,
  messages: /"type":"message_start"/g,
};
const deltas = {
  chat: /"content":"hello/g,
  responses: /"delta":"hello/g,
  messages: /"text":"hello/g,
};

const ends = { chat: '[DONE]', responses: 'response.completed', messages: 'message_stop' };
const wholes = {
  chat: { choices: [{ message: { content: 'hello world' }, finish_reason: 'stop' }] },
  responses: { status: 'completed', output: [{ content: [{ text: 'hello world' }] }] },
  messages: { content: [{ type: 'text', text: 'hello world' }], stop_reason: 'end_turn' },
};

describe.each(pairs)('a caller of %s, whose first upstream speaks %s and', (asks, speaks) => {
  const { begun, said } = spoken[asks];
  const sound: [Name, Behaviour] = [asks, pieces([...begun, ...said])];

  it.each(faults)('%s, gets what the second sends, and pays once', async (_, fault, prompt) => {
    const { call, asked } = open(asks, true, [[speaks, fault(spoken[speaks])], sound]);

    const text = await textOf(call, asks);

    expect(text).toBe([...begun, ...said].join(''));
    expect(text.match(starts[asks])).toHaveLength(1);
    expect(asked()).toBe(2);
    const charges = await chargesOf(keyId);
    expect(charges).toHaveLength(1);
    expect(charges).toMatchObject([
      prompt === 'free'
        ? { status: 'settled', figures: 'exact', prompt_tokens: 30, completion_tokens: 40 }
        : { status: 'settled', figures: 'estimated', completion_tokens: 40 },
    ]);
    const [{ prompt_tokens = 0, cost } = { cost: 0 }] = charges;
    expect(prompt_tokens > 30).toBe(prompt === 'paid');
    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: cost });
  });

  it('reports an error, gets a status where none is left, and pays nothing', async () => {
    const failed = pieces([...spoken[speaks].begun, spoken[speaks].error]);

    await expect(open(asks, true, [[speaks, failed]]).call).rejects.toMatchObject({
      ...{ statusCode: 503, code: 'model_unavailable', message: 'Overloaded' },
    });

    expect(await chargesOf(keyId)).toMatchObject([{ status: 'released' }]);
  });

  it('blames the request before its content, gets that, and the second isn’t asked', async () => {
    const error = { message: 'Refused.', code: 'invalid_prompt', type: 'invalid_request_error' };
    const failed = { type: 'response.failed', response: { status: 'failed', error } };
    const blame = {
      chat: event({ error }),
      responses: responseEvents([failed], 3).join(''),
      messages: messageEvent({ type: 'error', error }),
    }[speaks];
    const refusing = pieces([...spoken[speaks].begun, blame]);
    const { call, asked } = open(asks, true, [[speaks, refusing], sound]);

    // Codex looks for it in the stream.
    if (asks === 'responses') expect(await textOf(call, asks)).toContain('"code":"invalid_prompt"');
    else await expect(call).rejects.toMatchObject({ statusCode: 400, message: 'Refused.' });

    expect(asked()).toBe(1);
  });

  it('ends with a reason and no content, gets that, and the second isn’t asked', async () => {
    const ends = {
      chat: [chunk({}, 'length')],
      responses: responseStream([], [30, 40]).slice(2),
      messages: messageStream([], { input_tokens: 30, output_tokens: 40 }).slice(2),
    };
    const { begun } = spoken[speaks];
    const start = speaks === 'chat' ? begun : begun.slice(0, 2);
    const { call, asked } = open(asks, true, [
      [speaks, pieces([...start, ...ends[speaks]])],
      sound,
    ]);

    await textOf(call, asks);

    expect(asked()).toBe(1);
  });

  it('streams what was asked whole, gets it whole', async () => {
    const { begun, said } = spoken[speaks];
    const streamed = pieces([...begun, ...said], 'end', 'text/event-stream');
    const { call } = open(asks, false, [[speaks, streamed]]);

    const opened = await call;
    const { value } = readCompletion(opened);
    await opened.end();

    expect(value).toMatchObject(wholes[asks]);
    expect(await chargesOf(keyId)).toMatchObject([
      { status: 'settled', figures: 'exact', prompt_tokens: 30, completion_tokens: 40 },
    ]);
  });

  it('answers whole what was asked as a stream, gets a stream', async () => {
    const whole = {
      chat: completionOf('hello world', [30, 40]),
      responses: JSON.stringify(responseOf([messageItem('hello world')], [30, 40])),
      messages: messageOf([{ type: 'text', text: 'hello world' }], {
        ...{ input_tokens: 30, output_tokens: 40 },
      }),
    }[speaks];
    const { call } = open(asks, true, [[speaks, pieces([whole], 'end', 'application/json')]]);

    const text = await textOf(call, asks);

    expect(text).toMatch(/data: [\s\S]*hello world/);
    expect(text).toContain(ends[asks]);
    expect(await chargesOf(keyId)).toMatchObject([
      { status: 'settled', figures: 'exact', prompt_tokens: 30, completion_tokens: 40 },
    ]);
  });

  it('breaks off after its first content, gets that and an error, and the second isn’t asked', async () => {
    const { begun, said, error } = spoken[speaks];
    const upTo = said.findIndex((piece) => piece.includes('hello')) + 1;
    const half = pieces([...begun, ...said.slice(0, upTo), error]);
    const { call, asked } = open(asks, true, [[speaks, half], sound]);

    const text = await textOf(call, asks);

    expect(text).toMatch(/hello[\s\S]*Overloaded/);
    expect(text.match(deltas[asks])).toHaveLength(1);
    expect(asked()).toBe(1);
    expect(await chargesOf(keyId)).toMatchObject([{ status: 'settled', figures: 'partial' }]);
  });
});
