import { messagesErrorType } from '../../../http/messages-error.ts';
import { brokeOff, unavailable } from '../../errors.ts';
import { estimateTokens } from '../../token-bounds.ts';
import type { AnswerEvent, Usage } from '../answer-event.ts';
import type { Ask } from '../ask.ts';
import type { AnswerWriter, Body } from '../dialect.ts';
import { writeUsage } from './usage.ts';
import { namedEvent, stopReasons } from './wire.ts';
import { inputOf } from './write-messages.ts';

/** A block that is being written. A call of a tool has its number. */
interface OpenBlock {
  type: 'text' | 'thinking' | 'tool_use';
  call?: number;
}

type End = AnswerEvent & { is: 'end' };

/** Writes the events of a streamed answer: its blocks one after the other, each closed before the next is opened. */
export class MessagesAnswerWriter implements AnswerWriter {
  private readonly ask: Ask;
  private hasStarted = false;
  private open: OpenBlock | undefined;
  private blocks = 0;
  private usage: Usage | undefined;
  private hasRefused = false;
  private outputTokens = 0;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  write(event: AnswerEvent): string {
    const start = this.start(event);
    return start + this.written(event);
  }

  ping(): string {
    return namedEvent({ type: 'ping' });
  }

  private written(event: AnswerEvent): string {
    switch (event.is) {
      case 'start':
        return '';
      case 'text':
        return this.piece('text', { type: 'text_delta', text: event.text });
      case 'refusal':
        this.hasRefused = true;
        return this.piece('text', { type: 'text_delta', text: event.text });
      case 'thought':
        return this.piece('thinking', { type: 'thinking_delta', thinking: event.text });
      case 'signature':
        return this.signature(event);
      case 'toolCall':
        return this.call(event);
      case 'toolInput':
        return this.input(event);
      case 'usage':
        this.usage = event.usage;
        return '';
      case 'error': {
        const { message, code } = event;
        return namedEvent({ type: 'error', error: { type: errorTypeOf(code), message } });
      }
      case 'end':
        return this.end(event);
    }
  }

  /** Opens the message. Its prompt is estimated where the provider counts it last: `message_delta` has the true count. */
  private start(event: AnswerEvent): string {
    if (this.hasStarted || event.is === 'error') return '';
    this.hasStarted = true;
    const { id, model } = event.is === 'start' ? event : {};
    const usage = this.usage ?? { promptTokens: estimatedPromptTokens(this.ask), outputTokens: 0 };
    const message = { ...messageOf(id, model ?? this.ask.model), usage: writeUsage(usage) };
    return namedEvent({ type: 'message_start', message });
  }

  private piece(type: 'text' | 'thinking', delta: Body): string {
    const opened = this.open?.type === type ? '' : this.begin({ type }, emptyBlocks[type]);
    this.outputTokens += estimateTokens(String(delta['text'] ?? delta['thinking']));
    return opened + this.delta(delta);
  }

  /** Signs the thought before it, whose block it ends. */
  private signature({ signature, encrypted }: AnswerEvent & { is: 'signature' }): string {
    if (encrypted !== undefined) {
      const block = { type: 'redacted_thinking', data: encrypted };
      return this.begin({ type: 'thinking' }, block) + this.stop();
    }
    return this.piece('thinking', { type: 'signature_delta', signature }) + this.stop();
  }

  private call({ index, id, name }: AnswerEvent & { is: 'toolCall' }): string {
    const block = { type: 'tool_use', id, name, input: {} };
    return this.begin({ type: 'tool_use', call: index }, block);
  }

  private input({ index, text }: AnswerEvent & { is: 'toolInput' }): string {
    if (this.open?.call !== index) throw unavailable('The model mixed up its calls of tools.');
    this.outputTokens += estimateTokens(text);
    return this.delta({ type: 'input_json_delta', partial_json: text });
  }

  private begin(open: OpenBlock, content_block: Body): string {
    const stopped = this.stop();
    this.open = open;
    const index = this.blocks;
    this.blocks += 1;
    return stopped + namedEvent({ type: 'content_block_start', index, content_block });
  }

  private delta(delta: Body): string {
    return namedEvent({ type: 'content_block_delta', index: this.blocks - 1, delta });
  }

  private stop(): string {
    if (!this.open) return '';
    this.open = undefined;
    return namedEvent({ type: 'content_block_stop', index: this.blocks - 1 });
  }

  private end(end: End): string {
    const usage = this.usage ?? {
      promptTokens: estimatedPromptTokens(this.ask),
      outputTokens: this.outputTokens,
    };
    return (
      this.stop() +
      namedEvent({
        type: 'message_delta',
        delta: stopOf(end, this.hasRefused),
        usage: writeUsage(usage),
      }) +
      namedEvent({ type: 'message_stop' })
    );
  }
}

const emptyBlocks = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

function stopOf({ reason, stopSequence }: End, hasRefused: boolean) {
  if (stopSequence !== undefined) {
    return { stop_reason: 'stop_sequence', stop_sequence: stopSequence };
  }
  const isRefused = hasRefused && reason === 'stop';
  return { stop_reason: isRefused ? 'refusal' : stopReasons[reason], stop_sequence: null };
}

const messageOf = (id: string | undefined, model: string): Body => ({
  id: id ?? `msg_${crypto.randomUUID().replaceAll('-', '')}`,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

/** Counts what is asked by its text alone. */
const estimatedPromptTokens = ({ messages, tools }: Ask): number =>
  estimateTokens(
    JSON.stringify([messages, tools ?? []], (key, value) => (key === 'url' ? undefined : value)),
  );

/** Errors that have Anthropic's own type keep it. */
const errorTypeOf = (code: string | undefined): string =>
  code?.endsWith('_error') ? code : messagesErrorType(503);

/** Writes an answer that isn't streamed. */
export function writeMessagesAnswer(events: readonly AnswerEvent[], ask: Ask): Body {
  const failed = events.find((event) => event.is === 'error');
  if (failed) {
    const { message, code } = failed;
    return { type: 'error', error: { type: errorTypeOf(code), message } };
  }
  const start = events.find((event) => event.is === 'start');
  const end = events.find((event) => event.is === 'end');
  if (!end) throw unavailable(brokeOff);
  const usage = events.findLast((event) => event.is === 'usage')?.usage;
  const refused = events.some((event) => event.is === 'refusal');
  return {
    ...messageOf(start?.id, start?.model ?? ask.model),
    content: contentOf(events),
    ...stopOf(end, refused),
    usage: writeUsage(
      usage ?? { promptTokens: estimatedPromptTokens(ask), outputTokens: wordsOf(events) },
    ),
  };
}

/** Puts the pieces of each block together. */
function contentOf(events: readonly AnswerEvent[]): Body[] {
  const blocks: Body[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    if (event.is === 'text' || event.is === 'refusal') append(blocks, 'text', event.text);
    if (event.is === 'thought') append(blocks, 'thinking', event.text);
    if (event.is === 'signature') sign(blocks, event);
    if (event.is === 'toolCall') {
      const { index, id, name } = event;
      blocks.push({ type: 'tool_use', id, name, input: index });
      inputs.set(index, '');
    }
    if (event.is === 'toolInput') {
      inputs.set(event.index, (inputs.get(event.index) ?? '') + event.text);
    }
  }
  return blocks.map((block) =>
    block['type'] === 'tool_use'
      ? { ...block, input: inputOf(inputs.get(block['input'] as number) ?? '') }
      : block,
  );
}

function append(blocks: Body[], type: 'text' | 'thinking', text: string): void {
  const last = blocks.at(-1);
  const isSigned = last?.['signature'] !== undefined && last['signature'] !== '';
  if (last?.['type'] === type && !isSigned) last[type] = `${last[type]}${text}`;
  else blocks.push({ ...emptyBlocks[type], [type]: text });
}

function sign(blocks: Body[], event: AnswerEvent & { is: 'signature' }): void {
  const { signature, encrypted } = event;
  if (encrypted !== undefined) {
    blocks.push({ type: 'redacted_thinking', data: encrypted });
    return;
  }
  const last = blocks.at(-1);
  if (last?.['type'] === 'thinking' && last['signature'] === '') last['signature'] = signature;
  else blocks.push({ ...emptyBlocks.thinking, signature });
}

const wordsOf = (events: readonly AnswerEvent[]): number =>
  estimateTokens(events.map((event) => ('text' in event ? event.text : '')).join(''));
