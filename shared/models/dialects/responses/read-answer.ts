import type { ServiceError } from '../../../http/errors.ts';
import { fieldsIn, textIn, textsAmong } from '../../field.ts';
import type { AnswerEvent, Body, EndingReader, EndReason, Usage } from '../dialect.ts';
import { startOf } from '../read-shapes.ts';
import { ItemReader, outOfOrder } from './read-item.ts';
import { emptyResponse, failureCode, NumberedEvents } from './response-object.ts';
import { responseUsage, usageOf } from './usage.ts';

/**
 * Reads a streamed response, and can end it for its provider. Additions outside an open item, or after the end, are
 * errors; unknown events change nothing.
 */
export class ResponsesAnswerReader implements EndingReader {
  /** The response as its provider described it last. */
  private response: Body | undefined;
  private readonly items = new ItemReader();
  private readonly numbered = new NumberedEvents();
  private hasEnded = false;
  /** What the provider's own error said, once it has failed. */
  private failure: { code?: string } | undefined;

  get isOver(): boolean {
    return this.hasEnded || this.failure !== undefined;
  }

  read(event: Body): AnswerEvent[] {
    const events = this.eventsOf(event);
    // Events after an error are not counted, as our own error event has their number.
    if (!this.failure) this.count(event);
    return events;
  }

  private count({ type, sequence_number }: Body): void {
    if (typeof sequence_number === 'number') this.numbered.last = sequence_number;
    else if (isOurs(type)) this.numbered.last += 1;
  }

  private eventsOf(event: Body): AnswerEvent[] {
    const { type } = event;
    if (type === 'error' || (type === undefined && event['error'])) return [this.failed(event)];
    if (!isOurs(type)) return [];
    if (this.isOver) throw outOfOrder('went on after its end');
    if (type === 'response.failed') return this.ended(event);
    if (type === 'response.created') return [this.started(event)];
    if (!this.response) throw outOfOrder('did not begin with its first event');
    if (type === 'response.completed' || type === 'response.incomplete') return this.ended(event);
    return [...this.items.read(event)];
  }

  finish(): AnswerEvent[] {
    return [];
  }

  cut(usage: Usage): string {
    const { items, numbered } = this;
    const closing = [...items.closing()];
    this.hasEnded = true;
    const response = {
      ...(this.response ?? emptyResponse({})),
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: items.output,
      usage: responseUsage(usage),
    };
    return numbered.write([...closing, { type: 'response.incomplete', response }]);
  }

  fail({ code, message, retryAfterSeconds }: ServiceError): string {
    if (this.hasEnded) return '';
    const { items, numbered, response: begun } = this;
    const response = begun ?? emptyResponse({});
    const told = this.failure?.code ?? failureCode(code);
    // Codex waits for as long as these words say.
    const advice =
      told === 'rate_limit_exceeded' && retryAfterSeconds
        ? ` Please try again in ${retryAfterSeconds}s.`
        : '';
    const failed = {
      ...response,
      status: 'failed',
      error: { code: told, message: message + advice },
      output: items.output,
    };
    this.hasEnded = true;
    return numbered.write([
      ...(begun ? [] : [{ type: 'response.created', response }]),
      { type: 'response.failed', response: failed },
    ]);
  }

  private started({ response }: Body): AnswerEvent {
    if (this.response) throw outOfOrder('began twice');
    this.response = fieldsIn(response);
    return startOf(this.response);
  }

  private ended({ type, response }: Body): AnswerEvent[] {
    const told = fieldsIn(response);
    const { output, usage, service_tier, error, incomplete_details } = told;
    const events = [...this.items.finished(output)];
    if (usage) {
      const serviceTier = textsAmong({ serviceTier: service_tier });
      events.push({ is: 'usage', usage: usageOf(fieldsIn(usage)), ...serviceTier });
    }
    if (type === 'response.failed') return [...events, this.failed(fieldsIn(error))];
    this.hasEnded = true;
    const { reason } = fieldsIn(incomplete_details);
    return [...events, { is: 'end', reason: this.reasonOf(type, reason) }];
  }

  private reasonOf(type: unknown, reason: unknown): EndReason {
    if (type === 'response.incomplete') {
      return reason === 'content_filter' ? 'contentFilter' : 'length';
    }
    return this.items.hasCalls ? 'toolCalls' : 'stop';
  }

  private failed(told: Body): AnswerEvent {
    const { message, code } = { ...told, ...fieldsIn(told['error']) } as Body;
    this.failure = textsAmong({ code });
    return { is: 'error', message: textIn(message), ...this.failure };
  }
}

/** Whether an event is the protocol's, or has no type at all. Others keep a connection open, or tell of limits. */
const isOurs = (type: unknown) => typeof type !== 'string' || type.startsWith('response.');

/** Reads a response that isn't streamed. One that has not ended has no end. */
export function readResponsesAnswer(answer: Body): AnswerEvent[] {
  const reader = new ResponsesAnswerReader();
  const { status, error } = answer;
  if (error && status === undefined) return reader.read({ type: 'error', error });
  const begun = reader.read({ type: 'response.created', response: answer });
  const isOver = ['completed', 'incomplete', 'failed'].includes(textIn(status));
  const type = `response.${isOver ? textIn(status) : 'incomplete'}`;
  const rest = reader.read({ type, response: answer });
  return [...begun, ...rest.filter(({ is }) => isOver || is !== 'end')];
}
