import { messageOf, messageStream, type StubBlock } from './message-stub.ts';
import type { Script } from './model-stub.ts';
import { chunk, completionOf, done, usageChunk } from './model-stub-pieces.ts';
import { callItem, messageItem, responseOf, responseStream } from './responses-stub.ts';
import type { ModelKind } from './test-catalogue.ts';

/** What a model answers in one turn: a text, or a call of a tool by its name. */
export type Turn = { text: string } | { call: string; input: object; namespace?: string };

/** An upstream by what it speaks, and how it answers its turns there. Each takes 3 tokens, and makes 4. */
export interface Speaking {
  name: string;
  kind: ModelKind;
  answering(...turns: Turn[]): Script;
}

/** The upstreams that a request for a response may come to: as it is, or in another dialect. */
export const speaking: Speaking[] = [
  {
    name: 'an upstream that speaks responses',
    kind: 'responding',
    answering: (...turns) => inTurn(turns, responseTurn),
  },
  {
    name: 'an upstream that speaks chat completions',
    kind: 'plain',
    answering: (...turns) => inTurn(turns, chatTurn),
  },
  {
    name: 'an upstream that speaks messages',
    kind: 'claude',
    answering: (...turns) => inTurn(turns, messagesTurn),
  },
];

function inTurn(turns: Turn[], write: (turn: Turn, isStreamed: boolean) => string[]): Script {
  const left = [...turns];
  return ({ stream }) => {
    const turn = left.shift();
    return turn && { kind: 'pieces', pieces: write(turn, stream === true) };
  };
}

function responseTurn(turn: Turn, isStreamed: boolean): string[] {
  const item =
    'text' in turn
      ? messageItem(turn.text)
      : {
          ...callItem(turn.call, turn.input, newId()),
          ...(turn.namespace && { namespace: turn.namespace }),
        };
  return isStreamed ? responseStream([item], [3, 4]) : [JSON.stringify(responseOf([item], [3, 4]))];
}

let calls = 0;
const newId = () => `call_${calls++}`;

function messagesTurn(turn: Turn, isStreamed: boolean): string[] {
  const block: StubBlock =
    'text' in turn
      ? { type: 'text', text: turn.text }
      : { type: 'tool_use', id: newId(), name: turn.call, input: turn.input };
  const usage = { input_tokens: 3, output_tokens: 4 };
  return isStreamed ? messageStream([block], usage) : [messageOf([block], usage)];
}

function chatTurn(turn: Turn, isStreamed: boolean): string[] {
  if ('text' in turn) {
    if (!isStreamed) return [completionOf(turn.text, [3, 4])];
    return [chunk(turn.text), chunk({}, 'stop'), usageChunk(3, 4), done];
  }
  const { call: name, input } = turn;
  const call = {
    ...{ index: 0, id: newId(), type: 'function' },
    function: { name, arguments: JSON.stringify(input) },
  };
  if (isStreamed) {
    return [chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), usageChunk(3, 4), done];
  }
  return [completionOf({ content: null, tool_calls: [call] }, [3, 4], 'tool_calls')];
}
