import type { ServiceError } from '../../../http/errors.ts';
import { messagesErrorOf } from '../../../http/messages-error.ts';
import { unavailable } from '../../errors.ts';
import { fieldsIn, newCallId, textIn, textsAmong } from '../../field.ts';
import type { AnswerEvent, Body, EndingReader, EndReason, Usage } from '../dialect.ts';
import { listOf, startOf } from '../read-shapes.ts';
import { readUsage, writeUsage } from './usage.ts';
import { namedEvent } from './wire.ts';

interface OpenBlock {
  index: number;
  type: string;
  call: number;
  /** The input of a call, where its provider tells it whole at the beginning. */
  input?: unknown;
}

/**
 * Reads a streamed answer's events, and their order: a client stops at a wrong one.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesAnswerReader implements EndingReader {
  isOver = false;
  private hasStarted = false;
  private open: OpenBlock | undefined;
  private blocks = 0;
  private calls = 0;
  private end: AnswerEvent & { is: 'end' } = { is: 'end', reason: 'stop' };
  private told: Body = {};

  read(event: Body): AnswerEvent[] {
    const { type } = event;
    if (type === 'ping') return [];
    if (type === 'error') return [this.error(event)];
    if (this.isOver || this.hasStarted === (type === 'message_start')) throw outOfOrder();
    if (type === 'message_start') return this.start(fieldsIn(event['message']));
    if (type === 'content_block_start') return this.begin(event);
    if (type === 'content_block_delta') return this.piece(event);
    if (type === 'content_block_stop') return this.stop(event);
    if (type === 'message_delta') return this.delta(event);
    if (type === 'message_stop') return this.over();
    return [];
  }

  finish(): AnswerEvent[] {
    return [];
  }

  cut({ promptTokens, outputTokens }: Usage): string {
    this.isOver = true;
    const told = { ...writeUsage({ promptTokens, outputTokens }), ...this.told };
    return [
      ...(this.open ? [{ type: 'content_block_stop', index: this.open.index }] : []),
      {
        type: 'message_delta',
        delta: { stop_reason: 'max_tokens', stop_sequence: null },
        usage: { ...told, output_tokens: outputTokens },
      },
      { type: 'message_stop' },
    ]
      .map(namedEvent)
      .join('');
  }

  fail(error: ServiceError): string {
    this.isOver = true;
    return namedEvent({ type: 'error', error: messagesErrorOf(error) });
  }

  private error(event: Body): AnswerEvent {
    this.isOver = true;
    return errorIn(event);
  }

  private start(message: Body): AnswerEvent[] {
    this.hasStarted = true;
    return [startOf(message), ...this.usage(message)];
  }

  private begin({ index, content_block }: Body): AnswerEvent[] {
    if (this.open || index !== this.blocks) throw outOfOrder();
    const block = fieldsIn(content_block);
    const type = textIn(block['type']);
    const call = this.calls;
    this.open = { index, type, call, ...(type === 'tool_use' && { input: block['input'] }) };
    this.blocks += 1;
    if (type === 'tool_use') this.calls += 1;
    return openingOf(block, call);
  }

  private piece({ index, delta }: Body): AnswerEvent[] {
    const { open } = this;
    if (!open || index !== open.index) throw outOfOrder();
    const { type, ...piece } = fieldsIn(delta);
    const [block, read] = pieces.get(textIn(type)) ?? [];
    if (!read) return [];
    if (block === open.type) {
      delete open.input;
      return read(piece, open.call);
    }
    // Inputs of the provider's own tools are no calls of the caller's tools.
    if (block === 'tool_use') return [];
    throw outOfOrder();
  }

  private stop({ index }: Body): AnswerEvent[] {
    if (!this.open || index !== this.open.index) throw outOfOrder();
    const { call, input } = this.open;
    this.open = undefined;
    const isWhole = Object.keys(Object(input)).length > 0;
    return isWhole ? inputEvent(call, JSON.stringify(input)) : [];
  }

  private delta({ delta, ...event }: Body): AnswerEvent[] {
    if (this.open) throw outOfOrder();
    this.end = endOf(fieldsIn(delta), this.end);
    return this.usage(event);
  }

  private over(): AnswerEvent[] {
    if (this.open) throw outOfOrder();
    this.isOver = true;
    return [this.end];
  }

  /** Counts are of the answer so far. What an event doesn't tell is as it was. An estimate is our own, and tells nothing. */
  private usage({ usage }: Body): AnswerEvent[] {
    const { estimated, ...counts } = fieldsIn(usage);
    const told = Object.entries(counts).filter(([, count]) => count !== null);
    if (told.length === 0) return [];
    this.told = { ...this.told, ...Object.fromEntries(told) };
    return estimated === true ? [] : [{ is: 'usage', usage: readUsage(this.told) }];
  }
}

const outOfOrder = () => unavailable('The model sent its answer out of order.');

type ReadPiece = (piece: Body, call: number) => AnswerEvent[];

const textEvent = (is: 'text' | 'thought', text: unknown): AnswerEvent[] =>
  typeof text === 'string' && text !== '' ? [{ is, text }] : [];

const signatureEvent = (signature: unknown): AnswerEvent[] =>
  typeof signature === 'string' && signature !== '' ? [{ is: 'signature', signature }] : [];

const inputEvent = (index: number, text: unknown): AnswerEvent[] =>
  typeof text === 'string' && text !== '' ? [{ is: 'toolInput', index, text }] : [];

/** The types of pieces, each with its block's type. */
const pieces = new Map<string, [string, ReadPiece]>([
  ['text_delta', ['text', ({ text }) => textEvent('text', text)]],
  ['thinking_delta', ['thinking', ({ thinking }) => textEvent('thought', thinking)]],
  ['signature_delta', ['thinking', ({ signature }) => signatureEvent(signature)]],
  ['input_json_delta', ['tool_use', ({ partial_json }, call) => inputEvent(call, partial_json)]],
]);

/** What a block says as it opens. Blocks of a provider's own tools say nothing to others. */
function openingOf(block: Body, call: number): AnswerEvent[] {
  const { type, text, thinking, signature, data, id, name } = block;
  if (type === 'text') return textEvent('text', text);
  if (type === 'thinking') return [...textEvent('thought', thinking), ...signatureEvent(signature)];
  if (type === 'redacted_thinking') return [{ is: 'signature', encrypted: textIn(data) }];
  if (type !== 'tool_use') return [];
  return [{ is: 'toolCall', index: call, id: textIn(id) || newCallId(), name: textIn(name) }];
}

const reasons = new Map<string, EndReason>([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'toolCalls'],
  ['refusal', 'contentFilter'],
]);

function endOf({ stop_reason, stop_sequence }: Body, before: AnswerEvent & { is: 'end' }) {
  if (typeof stop_reason !== 'string') return before;
  return {
    is: 'end' as const,
    reason: reasons.get(stop_reason) ?? ('stop' as const),
    ...textsAmong({ stopSequence: stop_sequence }),
  };
}

function errorIn(event: Body): AnswerEvent {
  const { type, message } = fieldsIn(event['error']);
  return {
    is: 'error',
    message: typeof message === 'string' ? message : 'The model reported an error.',
    ...textsAmong({ code: type }),
  };
}

/** Reads an answer that isn't streamed. */
export function readMessagesAnswer(answer: Body): AnswerEvent[] {
  if (answer['type'] === 'error') return [errorIn(answer)];
  // It is the answer of another dialect, or none.
  if (!Array.isArray(answer['content'])) return [];
  const blocks = listOf(answer['content']).flatMap((content_block, index): Body[] => {
    const { type, input } = content_block;
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input ?? {}) };
    return [
      { type: 'content_block_start', index, content_block },
      ...(type === 'tool_use' ? [{ type: 'content_block_delta', index, delta }] : []),
      { type: 'content_block_stop', index },
    ];
  });
  const { usage, ...message } = answer;
  const reader = new MessagesAnswerReader();
  return [
    { type: 'message_start', message },
    ...blocks,
    { type: 'message_delta', delta: answer, usage },
    { type: 'message_stop' },
  ].flatMap((event) => reader.read(event));
}
