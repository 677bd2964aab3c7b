import type { ModelRequestBody } from './model-stub-body.ts';

/** A usage as Anthropic tells it; what was read from a cache, or written to it, is beside `input_tokens`. */
export interface MessageUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
}

/** A block of an answer. */
export type StubBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: object };

const head = { id: 'msg_stub', type: 'message', role: 'assistant', model: 'stub' };

/** An event of a stream, with its name. */
export const messageEvent = (event: { type: string; [field: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const messageStart = (usage: MessageUsage = { input_tokens: 10, output_tokens: 1 }) =>
  messageEvent({
    type: 'message_start',
    message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage },
  });

/** The events of one block, its text in pieces. */
export function blockEvents(block: StubBlock, index: number): string[] {
  const delta = (delta: object) => messageEvent({ type: 'content_block_delta', index, delta });
  const around = (content_block: object, deltas: string[]) => [
    messageEvent({ type: 'content_block_start', index, content_block }),
    ...deltas,
    messageEvent({ type: 'content_block_stop', index }),
  ];
  if (block.type === 'text') {
    const texts = piecesOf(block.text).map((text) => delta({ type: 'text_delta', text }));
    return around({ type: 'text', text: '' }, texts);
  }
  if (block.type === 'thinking') {
    const { thinking, signature } = block;
    return around({ type: 'thinking', thinking: '', signature: '' }, [
      ...piecesOf(thinking).map((each) => delta({ type: 'thinking_delta', thinking: each })),
      delta({ type: 'signature_delta', signature }),
    ]);
  }
  if (block.type === 'redacted_thinking') return around(block, []);
  const inputs = piecesOf(JSON.stringify(block.input));
  return around(
    { ...block, input: {} },
    inputs.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
  );
}

export const messageEnd = (stop_reason: string, usage: object) => [
  messageEvent({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }),
  messageEvent({ type: 'message_stop' }),
];

/** A whole streamed answer of these blocks, with a ping. */
export const messageStream = (
  blocks: readonly StubBlock[],
  usage: MessageUsage = { input_tokens: 10, output_tokens: 20 },
  stop_reason = stopOf(blocks),
): string[] => [
  messageStart({ ...usage, output_tokens: 1 }),
  messageEvent({ type: 'ping' }),
  ...blocks.flatMap(blockEvents),
  ...messageEnd(stop_reason, { output_tokens: usage.output_tokens }),
];

/** The same in one piece. */
export const messageOf = (
  content: readonly StubBlock[],
  usage: MessageUsage = { input_tokens: 10, output_tokens: 20 },
  stop_reason = stopOf(content),
): string => JSON.stringify({ ...head, content, stop_reason, stop_sequence: null, usage });

const stopOf = (blocks: readonly StubBlock[]) =>
  blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';

const piecesOf = (text: string) => text.match(/[\s\S]{1,6}/gu) ?? [];

/** What the stub says to a request unless it is told otherwise. */
export function messageBodyOf(body: ModelRequestBody, text: string): string {
  const words = (value: unknown) => JSON.stringify(value ?? '').split(/\s+/).length;
  const usage = { input_tokens: words(body.messages), output_tokens: words(text) };
  const blocks = [{ type: 'text' as const, text }];
  return body.stream ? messageStream(blocks, usage).join('') : messageOf(blocks, usage);
}
