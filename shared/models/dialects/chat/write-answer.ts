import { doneEvent, eventOf } from '../../../http/event-stream.ts';
import { newId } from '../../field.ts';
import { type Ask, createdOf, type ThoughtPart } from '../ask.ts';
import type { AnswerEvent, AnswerWriter, Body, Usage } from '../dialect.ts';
import { callOf, chatUsage, deltaOf, finishReasons } from '../metered.ts';
import { isSealed, partsOfAnswer } from '../read-shapes.ts';

/** Writes the chunks of a streamed chat completion, with its usage in the last one. */
export class ChatAnswerWriter implements AnswerWriter {
  private readonly common: Body;
  private usage: Usage | undefined;
  private isFirst = true;
  private thought = '';
  private readonly customCalls = new Set<number>();

  constructor(ask: Ask) {
    this.common = {
      id: newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: createdOf(ask),
      model: ask.model,
    };
  }

  write(event: AnswerEvent): string {
    if (event.is === 'start') {
      if (event.id !== undefined) this.common['id'] = event.id;
      if (event.model !== undefined) this.common['model'] = event.model;
      return '';
    }
    if (event.is === 'usage') {
      this.usage = event.usage;
      if (event.serviceTier !== undefined) this.common['service_tier'] = event.serviceTier;
      return '';
    }
    if (event.is === 'error') return eventOf({ error: errorOf(event) });
    if (event.is === 'end') return this.end(finishReasons[event.reason]);
    if (event.is === 'thought') this.thought += event.text;
    if (event.is === 'toolCall' && event.isCustom) this.customCalls.add(event.index);
    return this.chunk(this.delta(event) ?? {}, null);
  }

  ping(): string {
    return ': ping\n\n';
  }

  private delta(event: AnswerEvent): Body | undefined {
    if (event.is === 'signature') {
      const block = thinkingBlock(event, this.thought);
      this.thought = '';
      return { thinking_blocks: [block] };
    }
    if (event.is !== 'toolInput' || !this.customCalls.has(event.index)) return deltaOf(event);
    return { tool_calls: [{ index: event.index, custom: { input: event.text } }] };
  }

  private end(reason: string): string {
    const { common, usage } = this;
    const last = usage ? eventOf({ ...common, choices: [], usage: chatUsage(usage) }) : '';
    return this.chunk({}, reason) + last + doneEvent;
  }

  private chunk(delta: Body, finish_reason: string | null): string {
    const role = this.isFirst ? { role: 'assistant' } : {};
    this.isFirst = false;
    return eventOf({
      ...this.common,
      choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason }],
    });
  }
}

/** What a provider wants back with a thought, in Anthropic's own form. */
function thinkingBlock(event: { signature?: string; encrypted?: string }, thinking: string): Body {
  const { signature, encrypted } = event;
  return encrypted === undefined
    ? { type: 'thinking', thinking, signature }
    : { type: 'redacted_thinking', data: encrypted };
}

const errorOf = ({ message, code }: { message: string; code?: string }) => ({
  message,
  type: 'server_error',
  param: null,
  code: code ?? 'model_unavailable',
});

/** Writes a chat completion that isn't streamed. */
export function writeChatAnswer(events: readonly AnswerEvent[], ask: Ask): Body {
  const failed = events.find((event) => event.is === 'error');
  if (failed) return { error: errorOf(failed) };
  const start = events.find((event) => event.is === 'start');
  const end = events.find((event) => event.is === 'end');
  const { usage, serviceTier } = events.findLast((event) => event.is === 'usage') ?? {};
  return {
    id: start?.id ?? newId('chatcmpl-'),
    object: 'chat.completion',
    created: createdOf(ask),
    model: start?.model ?? ask.model,
    choices: [
      { index: 0, message: messageOf(events), finish_reason: finishReasons[end?.reason ?? 'stop'] },
    ],
    ...(usage && { usage: chatUsage(usage) }),
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
  };
}

function messageOf(events: readonly AnswerEvent[]): Body {
  const parts = partsOfAnswer(events);
  const textOf = (is: 'text' | 'thought' | 'refusal') => {
    const texts = parts.filter((part) => part.is === is && part.text !== '') as { text: string }[];
    return texts.length > 0 ? texts.map(({ text }) => text).join('') : null;
  };
  const thought = textOf('thought');
  const sealed = parts.filter((part) => part.is === 'thought' && isSealed(part)) as ThoughtPart[];
  const calls = parts.filter((part) => part.is === 'toolCall');
  return {
    role: 'assistant',
    content: textOf('text'),
    refusal: textOf('refusal'),
    ...(thought !== null && { reasoning_content: thought }),
    ...(sealed.length > 0 && {
      thinking_blocks: sealed.map((each) => thinkingBlock(each, each.text)),
    }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
}
