import { messagesErrorType } from '../../../http/messages-error.ts';
import { blamesRequest, unavailable } from '../../errors.ts';
import { newId, parsed } from '../../field.ts';
import { estimateTokens } from '../../token-bounds.ts';
import type { Ask } from '../ask.ts';
import type { AnswerEvent, AnswerWriter, Body, Usage } from '../dialect.ts';
import { writeUsage } from './usage.ts';
import { namedEvent, stopReasons } from './wire.ts';

/** A block that is being written. A call of a tool has its number. */
interface OpenBlock {
  type: 'text' | 'thinking' | 'tool_use';
  call?: number;
}

type End = AnswerEvent & { is: 'end' };

/** What makes or fills blocks. */
type Later = Exclude<AnswerEvent, { is: 'start' | 'usage' | 'end' | 'error' }>;

const notLater: unknown[] = ['start', 'usage', 'end', 'error'];
const isLater = (event: AnswerEvent): event is Later => !notLater.includes(event.is);

/** Writes the events of a streamed answer: its blocks one after the other, each closed before the next is opened. */
export class MessagesAnswerWriter implements AnswerWriter {
  private readonly ask: Ask;
  private hasStarted = false;
  private open: OpenBlock | undefined;
  private blocks = 0;
  private usage: Usage | undefined;
  private hasRefused = false;
  private outputTokens = 0;
  /** The input of the call that is being written. */
  private callInput = '';
  /** What came before that call was whole: no block may begin within another. */
  private waiting: Later[] = [];

  constructor(ask: Ask) {
    this.ask = ask;
  }

  write(event: AnswerEvent): string {
    return this.start(event) + this.written(event);
  }

  ping(): string {
    return namedEvent({ type: 'ping' });
  }

  private written(event: AnswerEvent): string {
    if (isLater(event)) {
      const isOfCall = event.is === 'toolInput' && this.open?.call === event.index;
      if (!isOfCall && (this.waiting.length > 0 || this.isWithinCall)) {
        this.waiting.push(event);
        return '';
      }
    }
    return this.writtenNow(event);
  }

  /** Whether a call is open whose input isn't whole yet. */
  private get isWithinCall(): boolean {
    return this.open?.type === 'tool_use' && parsed(this.callInput) === undefined;
  }

  /** Writes what has waited, each call with all of its input. Space between calls is no text. */
  private late(): string {
    const events = this.waiting;
    this.waiting = [];
    let text = '';
    for (const [at, event] of events.entries()) {
      if (event.is === 'toolInput') {
        if (
          !events.slice(0, at).some((each) => each.is === 'toolCall' && each.index === event.index)
        ) {
          throw unavailable('The model mixed up its calls of tools.');
        }
      } else if (event.is === 'toolCall') {
        const inputs = events.filter(
          (each) => each.is === 'toolInput' && each.index === event.index,
        );
        text += [event, ...inputs].map((each) => this.writtenNow(each)).join('');
      } else if (event.is !== 'text' || event.text.trim() !== '' || this.open?.type === 'text') {
        text += this.writtenNow(event);
      }
    }
    return text;
  }

  private writtenNow(event: AnswerEvent): string {
    if (event.is === 'usage') this.usage = event.usage;
    if (event.is === 'refusal') this.hasRefused = true;
    if (event.is === 'text' || event.is === 'refusal') {
      return this.piece('text', { type: 'text_delta', text: event.text });
    }
    if (event.is === 'thought') {
      return this.piece('thinking', { type: 'thinking_delta', thinking: event.text });
    }
    if (event.is === 'signature') return this.signature(event);
    if (event.is === 'toolCall') return this.call(event);
    if (event.is === 'toolInput') return this.input(event);
    if (event.is === 'error') return namedEvent(errorOf(event));
    return event.is === 'end' ? this.end(event) : '';
  }

  /** Opens the message. Its prompt is estimated where the provider counts it last: `message_delta` has the true count. */
  private start(event: AnswerEvent): string {
    if (this.hasStarted || event.is === 'error') return '';
    this.hasStarted = true;
    const { id, model } = event.is === 'start' ? event : {};
    const usage = this.usage ? writeUsage(this.usage) : estimatedUsage(this.ask, 0);
    const message = { ...messageOf(id, model ?? this.ask.model), usage };
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
    this.callInput = '';
    return this.begin({ type: 'tool_use', call: index }, block);
  }

  private input({ index, text }: AnswerEvent & { is: 'toolInput' }): string {
    if (this.open?.call !== index && text.trim() === '') return '';
    if (this.open?.call !== index) throw unavailable('The model mixed up its calls of tools.');
    this.outputTokens += estimateTokens(text);
    this.callInput += text;
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
    const { ask, outputTokens } = this;
    const usage = this.usage ? writeUsage(this.usage) : estimatedUsage(ask, outputTokens);
    return (
      this.late() +
      this.stop() +
      namedEvent({ type: 'message_delta', delta: stopOf(end, this.hasRefused), usage }) +
      namedEvent({ type: 'message_stop' })
    );
  }
}

const emptyBlocks = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

export function stopOf({ reason, stopSequence }: End, hasRefused: boolean) {
  if (stopSequence !== undefined) {
    return { stop_reason: 'stop_sequence', stop_sequence: stopSequence };
  }
  const isRefused = hasRefused && reason === 'stop';
  return { stop_reason: isRefused ? 'refusal' : stopReasons[reason], stop_sequence: null };
}

export const messageOf = (id: string | undefined, model: string): Body => ({
  id: id ?? newId('msg_'),
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

/** Estimates a usage that its provider hasn't told, and marks it as such. Nobody pays by it. */
export function estimatedUsage({ messages, tools }: Ask, outputTokens: number): Body {
  const asked = JSON.stringify([messages, tools ?? []], (key, value) =>
    key === 'url' ? undefined : value,
  );
  const usage = writeUsage({ promptTokens: estimateTokens(asked), outputTokens });
  return { ...usage, estimated: true };
}

/** Describes an error. One that has Anthropic's own type keeps it. */
export function errorOf({ message, code = '' }: AnswerEvent & { is: 'error' }) {
  const type = messagesErrorType(blamesRequest(code) ? 400 : 503);
  return { type: 'error', error: { type: code.endsWith('_error') ? code : type, message } };
}
