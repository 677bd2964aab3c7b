import { describe, expect, it } from 'vitest';
import { type Account, endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { post, TextReader } from '../support/servers/event-reader.ts';
import { messageEvent, messageStream, type StubBlock } from '../support/servers/message-stub.ts';
import type { Pieces } from '../support/servers/model-stub.ts';
import {
  chunk,
  done,
  event,
  gate,
  streamOf,
  usageChunk,
} from '../support/servers/model-stub-pieces.ts';
import {
  callItem,
  messageItem,
  responseEvents,
  responseOf,
  responseStream,
  thoughtItem,
} from '../support/servers/responses-stub.ts';
import type { ModelKind } from '../support/servers/test-catalogue.ts';

const chat = await useChatStage();

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const pixel = 'iVBORw0KGgo=';
const input = { city: 'Rio' };
const tokens: [number, number] = [30, 40];
const usage = { input_tokens: tokens[0], output_tokens: tokens[1] };

/** What a caller asks for in a dialect. */
interface Caller {
  path: string;
  plain: object;
  withTool: object;
  withImage: object;
  thinking: object;
  withSchema: object;
  /** The end of a whole stream, and of one that broke off. */
  end: string;
  error: string;
}

const says = (content: unknown) => [{ role: 'user', content }];
const tool = { name: 'weather', description: 'Tells it.' };

const callers: Record<string, Caller> = {
  chat: {
    path: '/v1/chat/completions',
    plain: { messages: says('hi') },
    withTool: {
      messages: says('hi'),
      tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
    },
    withImage: {
      messages: says([{ type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }]),
    },
    thinking: { messages: says('hi'), reasoning_effort: 'low' },
    withSchema: {
      messages: says('hi'),
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    },
    end: 'data: [DONE]',
    error: '{"error":{',
  },
  responses: {
    path: '/v1/responses',
    plain: { input: 'hi' },
    withTool: { input: 'hi', tools: [{ type: 'function', ...tool, parameters: schema }] },
    withImage: {
      input: says([{ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }]),
    },
    thinking: { input: 'hi', reasoning: { effort: 'low', summary: 'auto' } },
    withSchema: { input: 'hi', text: { format: { type: 'json_schema', name: 'place', schema } } },
    end: '"type":"response.completed"',
    error: '"type":"response.failed"',
  },
  messages: {
    path: '/v1/messages',
    plain: { messages: says('hi'), max_tokens: 100 },
    withTool: {
      ...{ messages: says('hi'), max_tokens: 100 },
      tools: [{ ...tool, input_schema: schema }],
    },
    withImage: {
      max_tokens: 100,
      messages: says([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
      ]),
    },
    thinking: { ...{ messages: says('hi'), max_tokens: 1_000 }, thinking: { type: 'adaptive' } },
    withSchema: {
      ...{ messages: says('hi'), max_tokens: 100 },
      output_config: { format: { type: 'json_schema', schema } },
    },
    end: '"type":"message_stop"',
    error: '"type":"error"',
  },
};

/** How an upstream answers in its dialect. */
interface Upstream {
  kind: ModelKind;
  thinker: ModelKind;
  text: string[];
  call: string[];
  thought: string[];
  /** An error within the stream. */
  failure: string;
  /** Two calls whose arguments take turns, where the protocol has that. */
  turns?: string[];
}

const error = { type: 'overloaded_error', message: 'Overloaded' };
const callPiece = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });

const textBlock: StubBlock = { type: 'text', text: 'hello world' };

const upstreams: Record<string, Upstream> = {
  chat: {
    kind: 'plain',
    thinker: 'reasoning',
    failure: event({ error }),
    turns: [
      ...[0, 1].map((index) =>
        callPiece(index, {
          ...{ id: `call_${index}`, type: 'function' },
          function: { name: 'weather', arguments: '' },
        }),
      ),
      ...['{"city', '":"Rio"}'].flatMap((piece) =>
        [0, 1].map((index) => callPiece(index, { function: { arguments: piece } })),
      ),
      ...[chunk({}, 'tool_calls'), usageChunk(...tokens), done],
    ],
    text: streamOf(['hello ', 'world'], tokens),
    call: [
      chunk({
        tool_calls: [
          {
            ...{ index: 0, id: 'call_1', type: 'function' },
            function: { name: 'weather', arguments: JSON.stringify(input) },
          },
        ],
      }),
      ...[chunk({}, 'tool_calls'), usageChunk(...tokens), done],
    ],
    thought: [chunk({ reasoning_content: 'Hm.' }), ...streamOf(['hello ', 'world'], tokens)],
  },
  responses: {
    kind: 'responding',
    thinker: 'pondering',
    failure: responseEvents(
      [{ type: 'response.failed', response: responseOf([], null, { status: 'failed', error }) }],
      1,
    ).join(''),
    text: responseStream([messageItem('hello world')], tokens),
    call: responseStream([callItem('weather', input, 'call_1')], tokens),
    thought: responseStream([thoughtItem('Hm.', 'gAAA'), messageItem('hello world')], tokens),
  },
  messages: {
    kind: 'claude',
    thinker: 'claude',
    failure: messageEvent({ type: 'error', error }),
    text: messageStream([textBlock], usage),
    call: messageStream([{ type: 'tool_use', id: 'call_1', name: 'weather', input }], usage),
    thought: messageStream(
      [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }, textBlock],
      usage,
    ),
  },
};

const cells = Object.keys(callers).flatMap((caller) =>
  Object.keys(upstreams).map((upstream) => [caller, upstream] as const),
);

describe.each(cells)('a caller of %s, whose model speaks %s, gets', (calls, speaks) => {
  const { path, end, error, ...bodies } = callers[calls] as Caller;
  const { kind, thinker, failure, turns, ...answers } = upstreams[speaks] as Upstream;

  /** Asks for a stream, which the model answers with these pieces. */
  async function ask(
    body: object,
    pieces: Pieces['pieces'],
    {
      model: of = kind,
      ending = 'end' as const,
      signal = undefined as AbortSignal | undefined,
    } = {},
  ) {
    const account: Account = await chat.newAccount();
    const model = chat.newModel(of, { kind: 'pieces', pieces, ending });
    const response = await post(account, path, { model: model.id, stream: true, ...body }, signal);
    return { account, response, sent: () => model.upstreams[0]?.requests()[0]?.body };
  }

  const settled = { status: 'settled', figures: 'exact', prompt_tokens: 30, completion_tokens: 40 };

  it('a text, and is charged by its usage', async () => {
    const { account, response } = await ask(bodies.plain, answers.text);

    const text = await response.text();

    expect(response.status, text).toBe(200);
    expect(text).toMatch(/hello .*world/s);
    expect(text).toContain(end);
    expect(await endedCharges(account)).toMatchObject([settled]);
  });

  it('a call of a tool', async () => {
    const { response, sent } = await ask(bodies.withTool, answers.call);

    const text = await response.text();

    expect(response.status, text).toBe(200);
    expect(text).toContain('weather');
    expect(text).toContain('Rio');
    expect(JSON.stringify(sent()?.['tools'])).toContain('"city":{"type":"string"}');
  });

  it('what its model says of an image', async () => {
    const { response, sent } = await ask(bodies.withImage, answers.text);

    expect(response.status, await response.text()).toBe(200);
    expect(JSON.stringify(sent())).toContain(pixel);
  });

  it('thoughts', async () => {
    const { response } = await ask(bodies.thinking, answers.thought, { model: thinker });

    const text = await response.text();

    expect(response.status, text).toBe(200);
    expect(text).toContain('Hm.');
    expect(text).toContain(end);
  });

  it('an answer that keeps to a schema', async () => {
    const { response, sent } = await ask(bodies.withSchema, answers.text);

    expect(response.status, await response.text()).toBe(200);
    expect(JSON.stringify(sent())).toContain('"city":{"type":"string"}');
  });

  it('an error in its own words where the answer breaks off, and pays what came', async () => {
    const half = answers.text.slice(0, Math.ceil(answers.text.length / 2));
    const { account, response } = await ask(bodies.plain, half);

    const text = await response.text();

    expect(text).toContain('hello');
    expect(text).not.toContain(end);
    expect(text.split('\n\n').findLast(Boolean)).toContain(error);
    expect(await endedCharges(account)).toMatchObject([{ status: 'settled', figures: 'partial' }]);
  });

  it('a status where the answer is an error before its content, and pays nothing', async () => {
    const { account, response } = await ask(bodies.plain, [...answers.text.slice(0, 1), failure]);

    const text = await response.text();

    expect(response.status, text).toBe(503);
    expect(text).toContain('Overloaded');
    expect(await endedCharges(account)).toMatchObject([{ status: 'released' }]);
  });

  it('calls of tools one after the other, though their arguments take turns', async () => {
    const { response } = await ask(bodies.withTool, turns ?? answers.call);

    const text = await response.text();

    expect(text).toContain(end);
    const calls = text.match(/"name":"weather"/g) ?? [];
    expect(calls.length).toBeGreaterThanOrEqual(turns ? 2 : 1);
    expect(text.replace(/\\?"|[^\w]/g, '')).toMatch(/city.*Rio/s);
  });

  it('the bill of the whole answer though it hangs up', async () => {
    const goOn = gate();
    const at = answers.text.findIndex((piece) => piece.includes('hello')) + 1;
    async function* pieces() {
      yield* answers.text.slice(0, at);
      await goOn.opened;
      yield* answers.text.slice(at);
    }
    const hangUp = new AbortController();
    const { account, response } = await ask(bodies.plain, pieces(), { signal: hangUp.signal });
    await new TextReader(response).until('hello');

    hangUp.abort();
    goOn.open();

    expect(await endedCharges(account)).toMatchObject([settled]);
  });
});
