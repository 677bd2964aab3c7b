import fc from 'fast-check';
import type {
  AnswerEvent,
  AnswerReader,
  AnswerWriter,
  Body,
  EndReason,
  Usage,
} from '../../../shared/models/dialects/dialect.ts';
import { dataOf, eventsIn } from '../../../shared/models/event-splitter.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const name = fc.stringMatching(/^[a-z_]{1,12}$/);

const pieces = (is: 'text' | 'refusal' | 'thought') =>
  fc
    .array(text, { minLength: 1, maxLength: 4 })
    .map((texts) => texts.map((each) => ({ is, text: each })));

const sealed = fc.oneof(
  text.map((signature) => ({ is: 'signature' as const, signature })),
  fc.base64String({ minLength: 4 }).map((encrypted) => ({ is: 'signature' as const, encrypted })),
);

/** What a dialect can say beside texts, thoughts and calls. */
interface Sayings {
  /** What a provider wants back with a thought. */
  seals: boolean;
  usage: fc.Arbitrary<Usage>;
}

type Block = AnswerEvent[] | { id: string; name: string; isCustom: boolean; inputs: string[] }[];

/** Whole answers, piece by piece. Calls that follow each other take turns with their input. */
export const answers = ({ seals, usage }: Sayings): fc.Arbitrary<AnswerEvent[]> =>
  fc
    .record({
      id: fc.uuid(),
      model: name,
      blocks: fc.array(block(seals), { maxLength: 6 }),
      usage,
      reason: fc.constantFrom<EndReason>('stop', 'length', 'contentFilter'),
    })
    .map(({ id, model, blocks, usage: told, reason }) => {
      const written: AnswerEvent[] = [];
      let calls = 0;
      for (const each of blocks) {
        if (!isCalls(each)) written.push(...each);
        else {
          written.push(...callEvents(each, calls));
          calls += each.length;
        }
      }
      return [
        { is: 'start', id, model },
        ...written,
        { is: 'usage', usage: told },
        { is: 'end', reason: calls > 0 && reason === 'stop' ? 'toolCalls' : reason },
      ];
    });

const isCalls = (each: Block): each is Exclude<Block, AnswerEvent[]> =>
  each.some((one) => 'inputs' in one);

function block(seals: boolean): fc.Arbitrary<Block> {
  const thoughts = pieces('thought') as fc.Arbitrary<AnswerEvent[]>;
  const call = fc.record({
    ...{ id: fc.uuid(), name, isCustom: fc.boolean() },
    inputs: fc.array(text, { maxLength: 3 }),
  });
  return fc.oneof(
    pieces('text'),
    pieces('refusal'),
    seals ? fc.tuple(thoughts, sealed).map(([all, seal]) => [...all, seal]) : thoughts,
    ...(seals ? [sealed.map((seal) => [seal])] : []),
    fc.array(call, { minLength: 1, maxLength: 3 }),
  ) as fc.Arbitrary<Block>;
}

function callEvents(
  calls: { id: string; name: string; isCustom: boolean; inputs: string[] }[],
  first: number,
): AnswerEvent[] {
  const begun = calls.map(
    ({ id, name: called, isCustom }, n): AnswerEvent => ({
      ...{ is: 'toolCall', index: first + n, id, name: called },
      ...(isCustom && { isCustom }),
    }),
  );
  const longest = Math.max(...calls.map(({ inputs }) => inputs.length));
  const inputs = Array.from({ length: longest }, (_, turn) =>
    calls.flatMap((each, n): AnswerEvent[] => {
      const input = each.inputs[turn];
      return input === undefined ? [] : [{ is: 'toolInput', index: first + n, text: input }];
    }),
  );
  return [...begun, ...inputs.flat()];
}

/** The JSON of server-sent events, without what ends a stream of chat completions. */
export const jsonOf = (text: string): Body[] =>
  eventsIn(text).flatMap((event) => {
    const data = dataOf(event);
    return data === undefined || data === '[DONE]' ? [] : [JSON.parse(data) as Body];
  });

export const writtenBy = (writer: AnswerWriter, events: readonly AnswerEvent[]): Body[] =>
  jsonOf(events.map((event) => writer.write(event)).join(''));

export const readBy = (reader: AnswerReader, events: readonly Body[]): AnswerEvent[] => [
  ...events.flatMap((event) => reader.read(event)),
  ...reader.finish(),
];
