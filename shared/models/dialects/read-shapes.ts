import { textIn, textsAmong } from '../field.ts';
import type { AssistantPart, Format, TextPart, ThoughtPart, Tool, ToolCallPart } from './ask.ts';
import type { AnswerEvent, Body, Place } from './dialect.ts';

/** The objects in a list: a field may be anything that its request's schema, or its provider, lets through. */
export const listOf = (value: unknown): Body[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];

/** Reads what is said: a text alone, or parts, of which `partOf` reads each. */
export function partsIn<Part>(
  content: unknown,
  place: Place,
  partOf: (part: Body, place: Place) => Part,
): (Part | TextPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ is: 'text', text: content }];
  return ((content ?? []) as Body[]).map((part, index) => partOf(part, [...place, index]));
}

/** Reads what dialects say alike of a tool of a name. */
export function toolNamed(name: string, is: Tool['is'], said: Body): Tool {
  const { description, format, parameters, strict } = said;
  const described = { name, ...textsAmong({ description }) };
  if (is === 'custom') {
    return { is, ...described, ...(typeof format === 'object' && format && { format }) };
  }
  return {
    is,
    ...described,
    ...(typeof parameters === 'object' && parameters && { schema: parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

/** Reads a form of the answer by its JSON schema. */
export const schemaFormat = ({ name, schema, strict, description }: Body): Format => ({
  is: 'schema',
  name: textIn(name),
  schema: (schema ?? {}) as object,
  ...(typeof strict === 'boolean' && { strict }),
  ...textsAmong({ description }),
});

/** Reads an answer's beginning. */
export const startOf = ({ id, model }: Body): AnswerEvent => ({
  is: 'start',
  ...textsAmong({ id, model }),
});

/** Puts the pieces of an answer together. A seal is of the thought before it, or has none. */
export function partsOfAnswer(events: readonly AnswerEvent[]): AssistantPart[] {
  const parts: AssistantPart[] = [];
  const calls = new Map<number, ToolCallPart>();
  for (const event of events) {
    const last = parts.at(-1);
    const thought = last?.is === 'thought' && !isSealed(last) ? last : undefined;
    if (event.is === 'text' || event.is === 'refusal' || event.is === 'thought') {
      const open = event.is === 'thought' ? thought : last;
      if (open?.is === event.is) open.text += event.text;
      else parts.push({ is: event.is, text: event.text });
    } else if (event.is === 'signature') {
      const { is: _, ...seal } = event;
      if (thought && seal.encrypted === undefined) Object.assign(thought, seal);
      else parts.push({ is: 'thought', text: '', ...seal });
    } else if (event.is === 'toolCall') {
      const { index, ...call } = event;
      const part = { ...call, input: '' };
      calls.set(index, part);
      parts.push(part);
    } else if (event.is === 'toolInput') {
      const call = calls.get(event.index);
      if (call) call.input += event.text;
    }
  }
  return parts;
}

/** Whether a thought has what its provider wants back with it. */
export const isSealed = ({ signature, encrypted }: ThoughtPart): boolean =>
  (signature ?? encrypted) !== undefined;
