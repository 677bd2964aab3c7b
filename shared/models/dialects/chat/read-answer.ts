import { cachedTokens, type TokenUsage, withWholePrompt, writtenTokens } from '../../chat-usage.ts';
import { withReasoning } from '../../reported-usage.ts';
import { textOf } from '../../token-bounds.ts';
import type { AnswerEvent, EndReason, Usage } from '../answer-event.ts';
import type { AnswerReader, Body } from '../dialect.ts';
import { numberIn, textIn } from '../field.ts';

/** A message of a chat completion, or a piece of one. A provider sends it, so any field may be malformed. */
interface Delta {
  content?: Parameters<typeof textOf>[0]['content'];
  reasoning_content?: unknown;
  reasoning?: unknown;
  refusal?: unknown;
  tool_calls?: (ToolCall | null)[] | null;
}

interface ToolCall {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
  custom?: { name?: unknown; input?: unknown } | null;
}

interface Chunk {
  id?: unknown;
  model?: unknown;
  choices?: ({ delta?: Delta; message?: Delta; finish_reason?: unknown } | null)[] | null;
  usage?: TokenUsage | null;
  service_tier?: unknown;
  error?: unknown;
}

/** Reads a chat completion, whole or by its chunks. The end is told last: most servers send the usage after its reason. */
export class ChatAnswerReader implements AnswerReader {
  isOver = false;
  private hasStarted = false;
  private reason: EndReason | undefined;
  private readonly calls = new Set<number>();

  read(event: Body): AnswerEvent[] {
    const { id, model, choices, usage, service_tier, error } = event as Chunk;
    if (error) return [this.error(error)];
    const events: AnswerEvent[] = [];
    if (!this.hasStarted) {
      this.hasStarted = true;
      events.push({
        is: 'start',
        ...(typeof id === 'string' && { id }),
        ...(typeof model === 'string' && { model }),
      });
    }
    const choice = choices?.[0];
    events.push(...this.pieces(choice?.delta ?? choice?.message ?? {}));
    const reason = reasons.get(textIn(choice?.finish_reason));
    if (reason) this.end(reason);
    if (usage) {
      const serviceTier = typeof service_tier === 'string' ? { serviceTier: service_tier } : {};
      events.push({ is: 'usage', usage: usageOf(usage), ...serviceTier });
    }
    return events;
  }

  finish(): AnswerEvent[] {
    return this.reason ? [{ is: 'end', reason: this.reason }] : [];
  }

  private error(error: unknown): AnswerEvent {
    this.isOver = true;
    const { message, code } = (typeof error === 'object' && error ? error : {}) as Body;
    return {
      is: 'error',
      message: textIn(message ?? error),
      ...(typeof code === 'string' && { code }),
    };
  }

  /** Some servers say `stop` of an answer that calls tools. */
  private end(reason: EndReason): void {
    this.isOver = true;
    this.reason = reason === 'stop' && this.calls.size > 0 ? 'toolCalls' : reason;
  }

  private *pieces(delta: Delta): Generator<AnswerEvent> {
    const { reasoning_content, reasoning, refusal, tool_calls } = delta;
    const thought = reasoning_content || reasoning;
    if (typeof thought === 'string' && thought !== '') yield { is: 'thought', text: thought };
    const text = textOf(delta);
    if (text !== '') yield { is: 'text', text };
    if (typeof refusal === 'string' && refusal !== '') yield { is: 'refusal', text: refusal };
    for (const [position, call] of (Array.isArray(tool_calls) ? tool_calls : []).entries()) {
      if (call) yield* this.call(call, typeof call.index === 'number' ? call.index : position);
    }
  }

  private *call({ id, ...call }: ToolCall, index: number): Generator<AnswerEvent> {
    const isCustom = Boolean(call.custom);
    const name = call.custom?.name ?? call.function?.name;
    const input = call.custom?.input ?? call.function?.arguments;
    if (!this.calls.has(index)) {
      this.calls.add(index);
      const known = { id: textIn(id, `call_${index}`), name: textIn(name) };
      yield { is: 'toolCall', index, ...known, ...(isCustom && { isCustom }) };
    }
    if (typeof input === 'string' && input !== '') yield { is: 'toolInput', index, text: input };
  }
}

const reasons = new Map<string, EndReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'toolCalls'],
  ['function_call', 'toolCalls'],
  ['content_filter', 'contentFilter'],
]);

/** Reads a chat completion that isn't streamed. */
export function readChatAnswer(answer: Body): AnswerEvent[] {
  const reader = new ChatAnswerReader();
  return [...reader.read(answer), ...reader.finish()];
}

function usageOf(told: TokenUsage): Usage {
  const usage = withReasoning(withWholePrompt(told));
  const { written, writtenLong } = writtenTokens(usage);
  return {
    promptTokens: numberIn(usage.prompt_tokens),
    outputTokens: numberIn(usage.completion_tokens),
    cachedTokens: numberIn(cachedTokens(usage)),
    ...(written !== undefined && { cacheWriteTokens: Math.max(0, written - (writtenLong ?? 0)) }),
    ...(writtenLong !== undefined && { cacheWrite1hTokens: writtenLong }),
    thoughtTokens: usage.completion_tokens_details?.reasoning_tokens ?? undefined,
  };
}
