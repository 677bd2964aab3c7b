import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findModel, type Model } from '../../../shared/models/catalogue.ts';
import type { AskMessage } from '../../../shared/models/dialects/ask.ts';
import type { Body } from '../../../shared/models/dialects/dialect.ts';
import { translateResponse } from '../../../shared/models/dialects/translate.ts';
import { toldIn } from '../../../shared/models/upstreams/request-in-dialect.ts';
import { dialects } from '../../../shared/models/upstreams/wires.ts';
import { cases } from '../../support/run/cases.ts';
import { messageOf, type StubBlock } from '../../support/servers/message-stub.ts';
import { completionOf } from '../../support/servers/model-stub-pieces.ts';
import {
  callItem,
  messageItem,
  responseOf,
  thoughtItem,
} from '../../support/servers/responses-stub.ts';
import { anyBytes } from '../../support/servers/rooms.ts';

const turns = 60;
const model = { ...(findModel('gpt-4.1') as Model), reasoning: true };

interface Call {
  id: string;
  name: string;
  input: { q: string };
  output: string;
  hasPicture: boolean;
  isError: boolean;
}

/** What is said in a turn: asked, thought, called and got, and said in the end. */
interface Turn {
  asked: string;
  thought: string;
  calls: Call[];
  /** Whether something is said between what tools gave. */
  isInterrupted: boolean;
  said: string;
}

const word = fc.stringMatching(/^[a-z]{3,9}$/);
const aCall = (id: string) =>
  fc.record({
    id: fc.constant(id),
    name: fc.constantFrom('look', 'read_file', 'run'),
    input: word.map((q) => ({ q })),
    output: word,
    hasPicture: fc.boolean(),
    isError: fc.boolean(),
  });
const aTurn = (n: number): fc.Arbitrary<Turn> =>
  fc.record({
    ...{ asked: word.map((each) => `${n} ${each}`), thought: word, said: word },
    calls: fc
      .nat({ max: 3 })
      .chain((count) =>
        fc.tuple(...Array.from({ length: count }, (_, at) => aCall(`call_${n}_${at}`))),
      ),
    isInterrupted: fc.boolean(),
  });
const aConversation = fc.tuple(...Array.from({ length: turns }, (_, n) => aTurn(n)));

const picture = 'iVBORw0KGgo=';
const dataUrl = `data:image/png;base64,${picture}`;
type Name = keyof typeof dialects;

/** Answers as an upstream does in its dialect: what it thought, and its calls or what it says. */
const answers: Record<Name, (thought: string, calls: Call[], said: string) => string> = {
  chat: (thought, calls, said) =>
    completionOf(
      calls.length === 0
        ? { content: said, reasoning_content: thought }
        : {
            ...{ content: null, reasoning_content: thought },
            tool_calls: calls.map(({ id, name, input }) => ({
              ...{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } },
            })),
          },
      [1, 2],
      calls.length === 0 ? 'stop' : 'tool_calls',
    ),
  responses: (thought, calls, said) =>
    JSON.stringify(
      responseOf([
        thoughtItem(thought, `gAAA${thought}`),
        ...calls.map(({ id, name, input }) => callItem(name, input, id)),
        ...(calls.length === 0 ? [messageItem(said)] : []),
      ]),
    ),
  messages: (thought, calls, said) =>
    messageOf([
      { type: 'thinking', thinking: thought, signature: `c2ln${thought}` },
      ...calls.map(({ id, name, input }): StubBlock => ({ type: 'tool_use', id, name, input })),
      ...(calls.length === 0 ? [{ type: 'text' as const, text: said }] : []),
    ]),
};

/** A client of a dialect: it sends back what it got. */
interface Client {
  field: 'messages' | 'input';
  user(text: string): Body;
  heard(answer: Body): Body[];
  results(calls: Call[], isInterrupted: boolean): Body[];
}

const withPicture = (text: Body, shown: Body, hasPicture: boolean) =>
  hasPicture ? [text, shown] : [text];

const clients: Record<Name, Client> = {
  chat: {
    field: 'messages',
    user: (text) => ({ role: 'user', content: text }),
    heard: ({ choices }) => [(choices as { message: Body }[])[0]?.message ?? {}],
    results: (calls) =>
      calls.map(({ id, output }) => ({ role: 'tool', tool_call_id: id, content: output })),
  },
  responses: {
    field: 'input',
    user: (text) => ({ role: 'user', content: text }),
    heard: ({ output }) => output as Body[],
    results: (calls, isInterrupted) => {
      const outputs = calls.map(({ id: call_id, output, hasPicture }) => ({
        ...{ type: 'function_call_output', call_id },
        output: withPicture(
          { type: 'input_text', text: output },
          { type: 'input_image', image_url: dataUrl },
          hasPicture,
        ),
      }));
      const between = { role: 'developer', content: 'Mind the gap.' };
      return isInterrupted ? [...outputs.slice(0, 1), between, ...outputs.slice(1)] : outputs;
    },
  },
  messages: {
    field: 'messages',
    user: (text) => ({ role: 'user', content: text }),
    heard: ({ content }) => [{ role: 'assistant', content }],
    results: (calls) => [
      {
        role: 'user',
        content: calls.map(({ id, output, hasPicture, isError }) => ({
          ...{ type: 'tool_result', tool_use_id: id, ...(isError && { is_error: true }) },
          content: withPicture(
            { type: 'text', text: output },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
            hasPicture,
          ),
        })),
      },
    ],
  },
};

/** Leads a conversation through a pair of dialects, and returns the last request that the upstream gets. */
async function lead(conversation: readonly Turn[], asks: Name, speaks: Name): Promise<Body> {
  const client = clients[asks];
  const history: Body[] = [];
  const send = () =>
    toldIn([speaks], model, 'openai', {
      dialect: asks,
      body: {
        ...{ model: 'theirs', [client.field]: history },
        ...(asks === 'messages' && { max_tokens: 100 }),
      },
    });
  const hear = async (thought: string, calls: Call[], said: string) => {
    const { translated } = send();
    const text = answers[speaks](thought, calls, said);
    const headers = { 'content-type': 'application/json' };
    const answer = new Response(text, { headers });
    const heard = translated
      ? translateResponse(answer, translated.from, translated.to, translated.question, anyBytes())
      : answer;
    history.push(...client.heard((await heard.json()) as Body));
  };
  for (const { asked, thought, calls, isInterrupted, said } of conversation) {
    history.push(client.user(asked));
    if (calls.length > 0) {
      await hear(thought, calls, '');
      history.push(...client.results(calls, isInterrupted));
    }
    await hear(thought, [], said);
  }
  return send().body;
}

/** What a conversation means: all of each kind, in its order. */
function meaningOf(messages: readonly AskMessage[]) {
  const textsOf = (message: AskMessage) =>
    message.parts.flatMap((part) => (part.is === 'text' ? [part.text] : []));
  const of = (role: string) => messages.filter((message) => message.role === role);
  return {
    asked: of('user')
      .flatMap(textsOf)
      .filter((text) => /^\d/.test(text)),
    said: of('assistant').flatMap(textsOf),
    called: of('assistant').flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.is === 'toolCall' ? [[part.id, part.name, JSON.parse(part.input)]] : [],
      ),
    ),
    got: of('tool').map((message) => [(message as { callId: string }).callId, ...textsOf(message)]),
    pictures: messages.flatMap(({ parts }) =>
      (parts as { is: string }[]).filter(({ is }) => is === 'image'),
    ).length,
  };
}

/** The thoughts that an upstream gets back as it wants them, in its own dialect. */
const thoughtsIn: Record<Name, (body: Body) => unknown[]> = {
  chat: ({ messages }) =>
    (messages as Body[]).flatMap(({ role, reasoning_content }) =>
      role === 'assistant' ? [reasoning_content] : [],
    ),
  responses: ({ input }) =>
    (input as Body[]).flatMap(({ type, encrypted_content }) =>
      type === 'reasoning' ? [String(encrypted_content).replace('gAAA', '')] : [],
    ),
  messages: ({ messages }) =>
    (messages as { content: Body[] | string }[]).flatMap(({ content }) =>
      (Array.isArray(content) ? content : []).flatMap(({ type, thinking, signature }) =>
        type === 'thinking' && signature === `c2ln${thinking}` ? [thinking] : [],
      ),
    ),
};

const names = Object.keys(dialects) as Name[];
const pairs = names.flatMap((asks) => names.map((speaks) => [asks, speaks] as const));

describe.each(pairs)('a conversation of 60 turns by %s over %s', (asks, speaks) => {
  it('keeps its meaning, its thoughts and the order that its provider wants', async () => {
    await fc.assert(
      fc.asyncProperty(aConversation, async (conversation) => {
        const body = await lead(conversation, asks, speaks);

        const { messages } = dialects[speaks].readRequest(body);
        const calls = conversation.flatMap((turn) => turn.calls);
        const isTold = ({ isError }: Call) => asks === 'messages' && isError && speaks !== asks;
        expect(meaningOf(messages)).toEqual({
          asked: conversation.map(({ asked }) => asked),
          said: conversation.map(({ said }) => said),
          called: calls.map(({ id, name, input }) => [id, name, input]),
          got: calls.map((call) => [call.id, `${isTold(call) ? 'Error: ' : ''}${call.output}`]),
          pictures: asks === 'chat' ? 0 : calls.filter(({ hasPicture }) => hasPicture).length,
        });
        expect(thoughtsIn[speaks](body)).toEqual(
          conversation.flatMap(({ thought, calls }) =>
            calls.length > 0 ? [thought, thought] : [thought],
          ),
        );
        if (speaks !== 'responses') expectOutputsAfterCalls(messages);
      }),
      { numRuns: cases(1, 10) },
    );
  });
});

/** Each output stands in the run that follows the message which called for it. */
function expectOutputsAfterCalls(messages: readonly AskMessage[]): void {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open.delete(message.callId), `${message.callId} follows its call`).toBe(true);
      continue;
    }
    expect(open.size).toBe(0);
    const parts = message.role === 'assistant' ? message.parts : [];
    open = new Set(parts.flatMap((part) => (part.is === 'toolCall' ? [part.id] : [])));
  }
}
