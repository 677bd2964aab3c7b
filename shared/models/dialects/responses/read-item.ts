import { type ModelError, unavailable } from '../../errors.ts';
import { jsonIn, newCallId, numberIn, textIn, textsAmong } from '../../field.ts';
import type { AnswerEvent, Body } from '../dialect.ts';
import { sealOf } from './encrypted-content.ts';
import { callKinds, isCall, OutputItem, type PartType, partKinds } from './output-item.ts';

/** The types of parts by the events that add to their text, or say it whole. */
const textEvents = new Map<string, PartType>(
  (Object.keys(partKinds) as PartType[]).flatMap((type) => {
    const { textEvent } = partKinds[type];
    return [
      [`${textEvent}.delta`, type],
      [`${textEvent}.done`, type],
    ] as const;
  }),
);

const maxParts = 10_000;

const callEvents = new Set<string>(
  Object.values(callKinds).flatMap(({ event }) =>
    event ? [`${event}.delta`, `${event}.done`] : [],
  ),
);

/** A call among calls, which is told once its name is known. */
interface Call {
  number: number;
  isTold: boolean;
  /** The input that came before the name. */
  early: string;
}

/** Reads the items of a response. Text that comes only at an item's end is read there, as it is billed. */
export class ItemReader {
  private readonly items = new Map<number, OutputItem>();
  private readonly calls = new Map<OutputItem, Call>();

  get hasCalls(): boolean {
    return this.calls.size > 0;
  }

  /** The items as far as they have come. */
  get output(): Body[] {
    return this.inOrder.map((item) => item.soFar);
  }

  *read(event: Body): Generator<AnswerEvent> {
    const type = textIn(event['type']);
    const part = textEvents.get(type);
    if (part) yield* this.text(event, part);
    else if (callEvents.has(type)) yield* this.input(event);
    else if (type === 'response.output_item.added') yield* this.added(event);
    else if (type === 'response.output_item.done') yield* this.done(event);
  }

  /** Reads the whole output that a response ends with. */
  *finished(output: unknown): Generator<AnswerEvent> {
    const listed: unknown[] = Array.isArray(output) ? output : [];
    const isNew = this.items.size === 0;
    for (const [output_index, item] of listed.entries()) {
      const known = this.items.get(output_index);
      if (known ? !known.isDone : isNew) yield* this.done({ output_index, item });
    }
    for (const item of this.calls.keys()) yield* this.named(item, item.fields, true);
  }

  /** Returns the events that end what is open. */
  *closing(): Generator<Body> {
    for (const item of this.inOrder) yield* item.closing('incomplete');
  }

  private get inOrder(): OutputItem[] {
    return [...this.items.values()].sort((a, b) => a.index - b.index);
  }

  private *added({ output_index, item }: Body): Generator<AnswerEvent> {
    const index = numberIn(output_index);
    if (this.items.has(index)) throw outOfOrder('began an item twice');
    const { content: _, summary: __, ...fields } = (item ?? {}) as Body;
    const added = new OutputItem(index, fields);
    this.items.set(index, added);
    if (!isCall(fields['type'])) return;
    this.calls.set(added, { number: this.calls.size, isTold: false, early: '' });
    yield* this.named(added, fields);
  }

  /** Tells of a call once it has a name, with the input that came before. */
  private *named(item: OutputItem, fields: Body, isLast = false): Generator<AnswerEvent> {
    const call = this.calls.get(item);
    const { type, call_id, id, namespace } = fields;
    const name = type === 'tool_search_call' ? 'tool_search' : textIn(fields['name']);
    if (!call || call.isTold || (name === '' && !isLast)) return;
    call.isTold = true;
    const { number: index, early: text } = call;
    yield {
      is: 'toolCall',
      index,
      name,
      id: textIn(call_id) || textIn(id) || newCallId(),
      ...(type === 'custom_tool_call' && { isCustom: true }),
      ...textsAmong({ namespace }),
    };
    if (text !== '') yield { is: 'toolInput', index, text };
  }

  private *text(event: Body, type: PartType): Generator<AnswerEvent> {
    const item = this.openItem(event);
    const { list, field } = partKinds[type];
    const at = numberIn(event[`${list}_index`], 0);
    const { delta } = event;
    if (delta !== undefined) return yield* this.piece(item, type, at, delta);
    yield* this.piece(item, type, at, item.missing(type, at, event[field]));
    item.donePart(type, at);
  }

  private *piece(
    item: OutputItem,
    type: PartType,
    at: number,
    text: unknown,
  ): Generator<AnswerEvent> {
    if (typeof text !== 'string' || !(at >= 0 && at < maxParts))
      throw unavailable('The model sent a broken chunk.');
    if (text === '') return;
    const { isLaterPart } = item.take(type, at, text);
    if (type === 'output_text') yield { is: 'text', text };
    else if (type === 'refusal') yield { is: 'refusal', text };
    else yield { is: 'thought', text: isLaterPart ? `\n\n${text}` : text };
  }

  private *input(event: Body): Generator<AnswerEvent> {
    const item = this.openItem(event);
    const { delta } = event;
    const text = typeof delta === 'string' ? delta : item.missingInput(inputOf(event));
    if (delta === undefined) item.isInputDone = true;
    if (textIn(event['name']) !== '') item.fields['name'] = event['name'];
    yield* this.named(item, item.fields);
    yield* this.moreInput(item, text);
  }

  private *moreInput(item: OutputItem, text: string): Generator<AnswerEvent> {
    const call = this.calls.get(item);
    if (text === '' || !call) return;
    item.input += text;
    if (call.isTold) yield { is: 'toolInput', index: call.number, text };
    else call.early += text;
  }

  private *done(event: Body): Generator<AnswerEvent> {
    const index = numberIn(event['output_index']);
    if (!this.items.has(index)) yield* this.added(event);
    const item = this.openItem(event);
    const whole = (event['item'] ?? {}) as Body;
    for (const name of ['summary', 'content'] as const) {
      const list = whole[name];
      for (const [at, part] of (Array.isArray(list) ? list : []).entries()) {
        const type = textIn(part?.type) as PartType;
        if (partKinds[type]?.list !== name) continue;
        yield* this.piece(item, type, at, item.missing(type, at, part[partKinds[type].field]));
      }
    }
    yield* this.named(item, { ...item.fields, ...whole }, true);
    yield* this.moreInput(item, item.missingInput(inputOf(whole)));
    item.fields = whole;
    item.isDone = true;
    const seal = whole['type'] === 'reasoning' ? sealOf(whole['encrypted_content']) : {};
    if (Object.keys(seal).length > 0) yield { is: 'signature', ...seal };
  }

  /** The item that an event belongs to. Throws `ModelError` if it was not added, or is done. */
  private openItem({ output_index }: Body): OutputItem {
    const item = this.items.get(numberIn(output_index));
    if (!item) throw outOfOrder('went on with an item that it had not begun');
    if (item.isDone) throw outOfOrder('went on with an item that it had ended');
    return item;
  }
}

const inputOf = (fields: Body) => jsonIn(fields['arguments'] ?? fields['input']);

/** 503: an event that can't come here. */
export const outOfOrder = (what: string): ModelError => unavailable(`The model's answer ${what}.`);
