import { newId } from '../../field.ts';
import { type Ask, createdOf } from '../ask.ts';
import type { AnswerEvent, AnswerWriter, Body, EndReason, Usage } from '../dialect.ts';
import { encryptedContentOf, type Seal } from './encrypted-content.ts';
import { OutputItem, type PartType } from './output-item.ts';
import { emptyResponse, failureCode, NumberedEvents } from './response-object.ts';
import { responseUsage } from './usage.ts';
import { askedFields } from './write-request.ts';

/** Writes the events of a streamed response. Calls of tools stay open until the end: their pieces may take turns. */
export class ResponsesAnswerWriter implements AnswerWriter {
  /** The response as far as it was written. */
  response: Body;
  private hasStarted = false;
  private readonly numbered = new NumberedEvents();
  private readonly items: OutputItem[] = [];
  private readonly calls = new Map<number, OutputItem>();
  /** The message or the thought that is being written. */
  private open: OutputItem | undefined;
  private usage: Usage | undefined;

  constructor(ask: Ask) {
    this.response = emptyResponse({ ...askedFields(ask), created_at: createdOf(ask) });
  }

  write(event: AnswerEvent): string {
    return this.numbered.write(this.events(event));
  }

  ping(): string {
    return ': ping\n\n';
  }

  private *events(event: AnswerEvent): Generator<Body> {
    if (event.is === 'start') {
      if (event.id !== undefined) this.response['id'] = event.id;
      if (event.model !== undefined) this.response['model'] = event.model;
    }
    yield* this.started();
    if (event.is === 'text') yield* this.piece('message', 'output_text', event.text);
    if (event.is === 'refusal') yield* this.piece('message', 'refusal', event.text);
    if (event.is === 'thought') yield* this.piece('reasoning', 'summary_text', event.text);
    if (event.is === 'signature') yield* this.sealed(event);
    if (event.is === 'toolCall') yield* this.call(event);
    if (event.is === 'toolInput') {
      const call = this.calls.get(event.index);
      if (call) yield* call.addInput(event.text);
    }
    if (event.is === 'usage') this.told(event);
    if (event.is === 'end') yield* this.end(event.reason);
    if (event.is === 'error') yield this.failed(event);
  }

  private *started(): Generator<Body> {
    if (this.hasStarted) return;
    this.hasStarted = true;
    yield { type: 'response.created', response: this.response };
    yield { type: 'response.in_progress', response: this.response };
  }

  private *piece(type: 'message' | 'reasoning', part: PartType, text: string): Generator<Body> {
    yield* this.opened(type);
    if (this.open) yield* this.open.add(part, text);
  }

  private *opened(type: 'message' | 'reasoning'): Generator<Body> {
    if (this.open?.fields['type'] === type) return;
    yield* this.closed();
    const isMessage = type === 'message';
    this.open = new OutputItem(this.items.length, {
      type,
      id: newId(isMessage ? 'msg_' : 'rs_'),
      ...(isMessage && { role: 'assistant' }),
    });
    this.items.push(this.open);
    yield this.open.added();
  }

  private *closed(): Generator<Body> {
    if (this.open) yield* this.open.closing('completed');
    this.open = undefined;
  }

  private *sealed(seal: Seal): Generator<Body> {
    yield* this.opened('reasoning');
    if (this.open) this.open.fields['encrypted_content'] = encryptedContentOf(seal);
    yield* this.closed();
  }

  private *call(event: Extract<AnswerEvent, { is: 'toolCall' }>): Generator<Body> {
    yield* this.closed();
    const { index, id: call_id, name, isCustom, isSearch, namespace } = event;
    const item = new OutputItem(
      this.items.length,
      isSearch
        ? { type: 'tool_search_call', id: newId('tsc_'), call_id, execution: 'client' }
        : {
            type: isCustom ? 'custom_tool_call' : 'function_call',
            id: newId(isCustom ? 'ctc_' : 'fc_'),
            call_id,
            name,
            ...(namespace !== undefined && { namespace }),
          },
    );
    this.items.push(item);
    this.calls.set(index, item);
    yield item.added();
  }

  private told({ usage, serviceTier }: Extract<AnswerEvent, { is: 'usage' }>): void {
    this.usage = usage;
    if (serviceTier !== undefined) this.response['service_tier'] = serviceTier;
  }

  private *end(reason: EndReason): Generator<Body> {
    const incomplete = { length: 'max_output_tokens', contentFilter: 'content_filter' }[
      reason as string
    ];
    const status = incomplete ? 'incomplete' : 'completed';
    for (const item of this.items) yield* item.closing(status);
    this.response = {
      ...this.response,
      status,
      ...(incomplete && { incomplete_details: { reason: incomplete } }),
      ...this.come,
    };
    yield { type: `response.${status}`, response: this.response };
  }

  private failed({ message, code }: { message: string; code?: string }): Body {
    const error = { code: failureCode(code), message };
    this.response = { ...this.response, status: 'failed', error, ...this.come };
    return { type: 'response.failed', response: this.response };
  }

  get come(): Body {
    const { usage, items } = this;
    return { output: items.map((item) => item.soFar), usage: usage ? responseUsage(usage) : null };
  }
}

/** Writes a response that isn't streamed. */
export function writeResponsesAnswer(events: readonly AnswerEvent[], ask: Ask): Body {
  const writer = new ResponsesAnswerWriter(ask);
  for (const event of events) writer.write(event);
  return { ...writer.response, ...writer.come };
}
