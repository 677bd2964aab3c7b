import { parsed } from '../../field.ts';
import type { Body } from '../dialect.ts';

/** How the events of one kind of part are called, and where an item keeps such parts. */
interface PartKind {
  list: 'content' | 'summary';
  /** The part's field that has its text. */
  field: 'text' | 'refusal';
  /** The events of its text, to which `.delta` or `.done` is added. */
  textEvent: string;
  /** The events of the part, to which `.added` or `.done` is added. */
  partEvent: string;
}

const contentEvent = 'response.content_part';
const summaryEvent = 'response.reasoning_summary_part';

/** The parts of items by their types. */
export const partKinds = {
  output_text: kind('content', 'text', 'response.output_text', contentEvent),
  refusal: kind('content', 'refusal', 'response.refusal', contentEvent),
  reasoning_text: kind('content', 'text', 'response.reasoning_text', contentEvent),
  summary_text: kind('summary', 'text', 'response.reasoning_summary_text', summaryEvent),
} satisfies Record<string, PartKind>;

export type PartType = keyof typeof partKinds;

function kind(
  list: PartKind['list'],
  field: PartKind['field'],
  textEvent: string,
  partEvent: string,
): PartKind {
  return { list, field, textEvent, partEvent };
}

/** Calls of tools by their types: the field that has the input, and the events of it. */
export const callKinds = {
  function_call: { field: 'arguments', event: 'response.function_call_arguments' },
  custom_tool_call: { field: 'input', event: 'response.custom_tool_call_input' },
  // It is called by an object, which comes with the item.
  tool_search_call: { field: 'arguments', event: undefined },
} as const;

export const isCall = (type: unknown): type is keyof typeof callKinds =>
  typeof type === 'string' && Object.hasOwn(callKinds, type);

interface Part {
  type: PartType;
  text: string;
  isDone: boolean;
}

/** One item of a response's output while it comes: what has come of it, and what is still open. */
export class OutputItem {
  readonly index: number;
  /** The item as it was added, or as its provider says that it is done. */
  fields: Body;
  isDone = false;
  private readonly parts = { content: [] as Part[], summary: [] as Part[] };
  /** The part of a call's input that has arrived. */
  input = '';
  isInputDone = false;

  constructor(index: number, fields: Body) {
    this.index = index;
    this.fields = fields;
  }

  added(): Body {
    const item = this.withStatus('in_progress');
    return { type: 'response.output_item.added', output_index: this.index, item };
  }

  /** Takes a text that is added to a part, which is made if it isn't there. Returns whether there were others before it. */
  take(type: PartType, at: number, text: string): { isLaterPart: boolean } {
    const list = this.parts[partKinds[type].list];
    const isNew = list[at] === undefined;
    const part = list[at] ?? { type, text: '', isDone: false };
    list[at] = part;
    part.text += text;
    return { isLaterPart: isNew && list.some((each) => each !== part && each?.text !== '') };
  }

  /** Returns what a part's whole text has beyond what came of it. */
  missing(type: PartType, at: number, whole: unknown): string {
    return beyond(this.parts[partKinds[type].list][at]?.text ?? '', whole);
  }

  /** Marks a part as done. */
  donePart(type: PartType, at: number): void {
    const part = this.parts[partKinds[type].list][at];
    if (part) part.isDone = true;
  }

  missingInput(whole: unknown): string {
    return beyond(this.input, whole);
  }

  *add(type: PartType, text: string): Generator<Body> {
    const { list, textEvent, partEvent } = partKinds[type];
    const last = this.parts[list].at(-1);
    if (last?.type !== type) {
      yield* this.partsDone();
      const at = this.parts[list].length;
      this.take(type, at, '');
      yield { type: `${partEvent}.added`, ...this.placeOf(list, at), part: partOf(type, '') };
    }
    const at = this.parts[list].length - 1;
    this.take(type, at, text);
    const logprobs = type === 'output_text' ? { logprobs: [] } : {};
    yield { type: `${textEvent}.delta`, ...this.placeOf(list, at), delta: text, ...logprobs };
  }

  *addInput(text: string): Generator<Body> {
    const { type } = this.fields;
    this.input += text;
    const event = isCall(type) ? callKinds[type].event : undefined;
    if (event) yield { type: `${event}.delta`, ...this.place, delta: text };
  }

  /** Returns the events that end what is open of it. */
  *closing(status: 'completed' | 'incomplete'): Generator<Body> {
    if (this.isDone) return;
    yield* this.partsDone();
    const { type, name } = this.fields;
    if (isCall(type) && !this.isInputDone) {
      const { field, event } = callKinds[type];
      const named = type === 'function_call' ? { name } : {};
      if (event) yield { type: `${event}.done`, ...this.place, ...named, [field]: this.input };
    }
    this.isDone = true;
    this.fields = this.withStatus(status);
    yield { type: 'response.output_item.done', output_index: this.index, item: this.fields };
  }

  /** The item as far as it has come. */
  get soFar(): Body {
    return this.isDone ? this.fields : this.withStatus('incomplete');
  }

  private *partsDone(): Generator<Body> {
    for (const [name, list] of Object.entries(this.parts)) {
      for (const [at, part] of list.entries()) {
        if (!part || part.isDone) continue;
        part.isDone = true;
        const { field, textEvent, partEvent } = partKinds[part.type];
        const place = this.placeOf(name as keyof typeof this.parts, at);
        const logprobs = part.type === 'output_text' ? { logprobs: [] } : {};
        yield { type: `${textEvent}.done`, ...place, [field]: part.text, ...logprobs };
        yield { type: `${partEvent}.done`, ...place, part: partOf(part.type, part.text) };
      }
    }
  }

  private withStatus(status: string): Body {
    const { type, ...fields } = this.fields;
    const listOf = (parts: Part[]) =>
      parts.filter(Boolean).map((each) => partOf(each.type, each.text));
    const { content, summary } = this.parts;
    return {
      type,
      ...fields,
      ...(type !== 'reasoning' && { status }),
      ...((type === 'message' || content.length > 0) && { content: listOf(content) }),
      ...(type === 'reasoning' && { summary: listOf(summary) }),
      ...(isCall(type) && { [callKinds[type].field]: this.inputOf(type) }),
    };
  }

  private inputOf(type: keyof typeof callKinds): unknown {
    return type === 'tool_search_call' ? (parsed(this.input) ?? {}) : this.input;
  }

  private get place(): Body {
    return { item_id: this.fields['id'], output_index: this.index };
  }

  private placeOf(list: 'content' | 'summary', at: number): Body {
    return { ...this.place, [`${list}_index`]: at };
  }
}

const beyond = (came: string, whole: unknown) =>
  typeof whole === 'string' && whole.startsWith(came) ? whole.slice(came.length) : '';

function partOf(type: PartType, text: string): Body {
  const extra = type === 'output_text' ? { annotations: [], logprobs: [] } : {};
  return { type, [partKinds[type].field]: text, ...extra };
}
