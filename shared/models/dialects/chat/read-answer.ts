import { cachedTokens, type TokenUsage, withWholePrompt, writtenTokens } from '../../chat-usage.ts';
import { fieldsIn, jsonIn, newCallId, numberIn, textIn, textsAmong } from '../../field.ts';
import { withReasoning } from '../../reported-usage.ts';
import { textOf } from '../../token-bounds.ts';
import type { AnswerEvent, AnswerReader, Body, EndReason, Usage } from '../dialect.ts';
import { listOf } from '../read-shapes.ts';
import { joined, sealed, textOfDetails } from './thoughts.ts';

/** A call as far as it has come. It is told once its name is known. */
interface Call {
  number: number;
  id: string;
  name: string;
  isCustom: boolean;
  /** The input that came before the name. */
  early: string;
}

/** Reads a chat completion, whole or by its chunks. The end is told last: most servers send the usage after its reason. */
export class ChatAnswerReader implements AnswerReader {
  isOver = false;
  private hasStarted = false;
  private hasContent = false;
  private reason: EndReason | undefined;
  private readonly calls = new Map<number, Call>();
  private count = 0;
  private readonly model: string | undefined;
  private thoughts: { name: string; details: Body[] } | undefined;

  /** Thoughts are sealed for the model that was asked, if it is told. */
  constructor(model?: string) {
    this.model = model;
  }

  read(event: Body): AnswerEvent[] {
    const { id, model, usage, service_tier, error } = event;
    if (error) return [this.error(error)];
    const [choice = {}] = listOf(event['choices']);
    const { delta, message, finish_reason } = choice;
    const pieces = [...this.pieces(fieldsIn(delta ?? message))];
    const events = [...this.start(textIn(id), textIn(model), pieces.length > 0), ...pieces];
    if (pieces.length > 0) this.hasContent = true;
    const reason = textIn(finish_reason);
    if (reason === 'error') return [...events, this.error('The model reported an error.')];
    if (reason !== '') this.end(reasons.get(reason.toLowerCase()) ?? 'stop');
    // A message comes whole, also where its server gives no reason.
    else if (message) this.done();
    if (usage) {
      const serviceTier = textsAmong({ serviceTier: service_tier });
      events.push({ is: 'usage', usage: usageOf(usage as TokenUsage), ...serviceTier });
    }
    return events;
  }

  /** Some servers give no reason, and say that all has come. */
  done(): void {
    if (this.hasContent && !this.isOver) this.end('stop');
  }

  finish(): AnswerEvent[] {
    if (!this.reason) return [];
    const unnamed = [...this.calls.values()].filter(({ name }) => name === '');
    return [
      ...this.start('', '', true),
      ...this.seal(),
      ...unnamed.flatMap((call) => [...this.named(call)]),
      { is: 'end', reason: this.reason },
    ];
  }

  /** Azure's first chunk names neither id nor model. */
  private *start(id: string, model: string, mustStart: boolean): Generator<AnswerEvent> {
    if (this.hasStarted || !(mustStart || id || model)) return;
    this.hasStarted = true;
    yield { is: 'start', ...(id && { id }), ...(model && { model }) };
  }

  private error(error: unknown): AnswerEvent {
    this.isOver = true;
    const { message, code } = fieldsIn(error);
    return { is: 'error', message: textIn(message ?? error), ...textsAmong({ code }) };
  }

  /** Some servers say `stop` of an answer that calls tools. */
  private end(reason: EndReason): void {
    this.isOver = true;
    this.reason = reason === 'stop' && this.count > 0 ? 'toolCalls' : reason;
  }

  private *pieces(delta: Body): Generator<AnswerEvent> {
    const { refusal, tool_calls, function_call } = delta;
    yield* this.thought(delta);
    const text = textOf(delta);
    const calls = listOf(tool_calls);
    if (text !== '' || calls.length > 0 || refusal || function_call) yield* this.seal();
    if (text !== '') yield { is: 'text', text };
    if (typeof refusal === 'string' && refusal !== '') yield { is: 'refusal', text: refusal };
    for (const [position, call] of calls.entries()) {
      yield* this.call(call, numberIn(call['index'], position));
    }
    // What calls of tools were called before there could be several.
    if (function_call) yield* this.call({ function: function_call }, 0);
  }

  private *thought(delta: Body): Generator<AnswerEvent> {
    const details = listOf(delta['reasoning_details']);
    const name = names.find((each) => textIn(delta[each]) !== '');
    const text = name ? textIn(delta[name]) : textOfDetails(details);
    if (name || details.length > 0) this.thoughts ??= { name: name ?? 'reasoning', details: [] };
    if (this.thoughts) joined(this.thoughts.details, details);
    if (text !== '') yield { is: 'thought', text };
  }

  /** Ends a thought with what gives it back to its model. */
  private *seal(): Generator<AnswerEvent> {
    const { model, thoughts } = this;
    this.thoughts = undefined;
    if (!thoughts || model === undefined) return;
    const { name, details } = thoughts;
    const signature = sealed({ model, name, ...(details.length > 0 && { details }) });
    yield { is: 'signature', signature };
  }

  private *call({ id, function: called, custom }: Body, index: number): Generator<AnswerEvent> {
    const told = fieldsIn(custom ?? called);
    const name = textIn(told['name']);
    const input = jsonIn(told['input'] ?? told['arguments']);
    const call = this.callAt(index, textIn(id), name, Boolean(custom));
    if (call.name === '' && name !== '') {
      call.name = name;
      yield* this.named(call);
    }
    if (input === '') return;
    if (call.name === '') call.early += input;
    else yield { is: 'toolInput', index: call.number, text: input };
  }

  /** The call at an index. Some servers give the same to all, which have ids and names of their own. */
  private callAt(index: number, id: string, name: string, isCustom: boolean): Call {
    const known = this.calls.get(index);
    const isAnother = known?.name !== '' && name !== '' && id !== '' && id !== known?.id;
    if (known && !isAnother) {
      if (known.name === '' && id !== '') known.id = id;
      return known;
    }
    const call = { number: this.count, id: id || newCallId(), name: '', isCustom, early: '' };
    this.count += 1;
    this.calls.set(index, call);
    return call;
  }

  private *named({ number: index, id, name, isCustom, early }: Call): Generator<AnswerEvent> {
    yield { is: 'toolCall', index, id, name, ...(isCustom && { isCustom }) };
    if (early !== '') yield { is: 'toolInput', index, text: early };
  }
}

/** What servers call a model's thoughts: the same are told under several names by some. */
const names = ['reasoning_content', 'reasoning'] as const;

/** Why an answer ended, by the words of many servers. Any other word is a stop. */
const reasons = new Map<string, EndReason>([
  ...['length', 'max_tokens', 'max_output_tokens', 'model_length', 'token_limit'].map(
    (word) => [word, 'length'] as const,
  ),
  ...['tool_calls', 'function_call', 'tool_use', 'tool_call'].map(
    (word) => [word, 'toolCalls'] as const,
  ),
  ...['content_filter', 'safety', 'refusal', 'prohibited_content', 'recitation', 'sensitive'].map(
    (word) => [word, 'contentFilter'] as const,
  ),
]);

/** Reads a chat completion that isn't streamed. */
export function readChatAnswer(answer: Body, model?: string): AnswerEvent[] {
  const reader = new ChatAnswerReader(model);
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
