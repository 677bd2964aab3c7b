import type { TokenUsage } from '../chat-usage.ts';
import type { Metered } from '../completion-meter.ts';
import type { ToolCallPart } from './ask.ts';
import type { AnswerEvent, Body, EndReason, Usage } from './dialect.ts';

/** Describes pieces of an answer as a chunk of a chat completion, which is what the meter reads. */
export function meteredOf(events: readonly AnswerEvent[]): Metered {
  const metered: Metered = {};
  const choices = events.flatMap((event) => {
    const choice = choiceOf(event);
    return choice ? [{ index: 0, ...choice }] : [];
  });
  if (choices.length > 0) metered.choices = choices;
  for (const event of events) {
    if (event.is === 'start' && event.model !== undefined) metered.model = event.model;
    if (event.is === 'usage') {
      metered.usage = chatUsage(event.usage);
      metered.service_tier = event.serviceTier;
    }
    if (event.is === 'error') metered.error = { message: event.message, code: event.code };
  }
  return metered;
}

function choiceOf(event: AnswerEvent): { delta?: Body; finish_reason?: string } | undefined {
  if (event.is === 'end') return { finish_reason: finishReasons[event.reason] };
  const delta = deltaOf(event);
  return delta && { delta };
}

/** Returns a piece's delta to the message of a chat completion; undefined for a seal, or for no part of a message. */
export function deltaOf(event: AnswerEvent): Body | undefined {
  if (event.is === 'text') return { content: event.text };
  if (event.is === 'thought') return { reasoning_content: event.text };
  if (event.is === 'refusal') return { refusal: event.text };
  if (event.is === 'toolCall') {
    return { tool_calls: [{ index: event.index, ...callOf({ ...event, input: '' }) }] };
  }
  if (event.is !== 'toolInput') return undefined;
  return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
}

/** Writes a call of a tool: of a function by its arguments, of a custom one by its input. */
export const callOf = ({ id, name, input, isCustom }: Omit<ToolCallPart, 'is'>): Body =>
  isCustom
    ? { id, type: 'custom', custom: { name, input } }
    : { id, type: 'function', function: { name, arguments: input } };

/** What chat completions call the reasons why an answer ends. */
export const finishReasons = {
  stop: 'stop',
  length: 'length',
  toolCalls: 'tool_calls',
  contentFilter: 'content_filter',
} as const satisfies Record<EndReason, string>;

/** The usage of a chat completion that has the same counts. */
export function chatUsage(usage: Usage): TokenUsage {
  const { promptTokens, outputTokens, cachedTokens, thoughtTokens } = usage;
  const { cacheWriteTokens, cacheWrite1hTokens } = usage;
  const hasWrites = cacheWriteTokens !== undefined || cacheWrite1hTokens !== undefined;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens ?? 0,
      ...(hasWrites && {
        cache_creation: {
          ephemeral_5m_input_tokens: cacheWriteTokens ?? 0,
          // Untold it is not none: the call may have asked for it.
          ...(cacheWrite1hTokens !== undefined && {
            ephemeral_1h_input_tokens: cacheWrite1hTokens,
          }),
        },
      }),
    },
    completion_tokens_details: { reasoning_tokens: thoughtTokens ?? 0 },
  };
}
