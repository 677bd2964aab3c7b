import fc from 'fast-check';
import type { Model } from '../../../shared/models/catalogue.ts';
import type { Ask, AskMessage, AssistantPart, Tool } from '../../../shared/models/dialects/ask.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const name = fc.stringMatching(/^[a-z]{1,12}$/);
const url = fc.base64String({ minLength: 4 }).map((data) => `data:image/png;base64,${data}`);

const textPart = text.map((each) => ({ is: 'text' as const, text: each }));
const imagePart = fc.record({
  ...{ is: fc.constant('image' as const), url },
  detail: fc.constantFrom('low', 'high'),
});
const filePart = fc.record({ is: fc.constant('file' as const), url, name });

/** A turn: what is asked, what the model calls and gets for it, and what it says. */
const turn: fc.Arbitrary<AskMessage[]> = fc
  .record({
    asked: fc.array(fc.oneof(textPart, imagePart, filePart), { minLength: 2, maxLength: 3 }),
    calls: fc.array(
      fc.record({ id: fc.uuid(), name, input: text, isCustom: fc.boolean(), output: text }),
      { maxLength: 3 },
    ),
    said: text,
  })
  .map(({ asked, calls, said }) => [
    {
      role: 'user',
      parts: [...asked, { is: 'image', url: 'data:image/png;base64,AA==', detail: 'low' }],
    },
    ...(calls.length === 0
      ? []
      : [
          {
            role: 'assistant' as const,
            parts: calls.map(
              ({ output: _, isCustom, ...call }): AssistantPart => ({
                ...{ is: 'toolCall', ...call },
                ...(isCustom && { isCustom }),
              }),
            ),
          },
          ...calls.map(
            ({ id, output }): AskMessage => ({
              ...{ role: 'tool', callId: id, parts: [{ is: 'text', text: output }] },
            }),
          ),
        ]),
    { role: 'assistant', parts: [{ is: 'text', text: said }] },
  ]);

const tool: fc.Arbitrary<Tool> = fc.oneof(
  fc.record({
    ...{ is: fc.constant('function' as const), name, description: text },
    ...{ schema: fc.constant({ type: 'object', properties: {} }), strict: fc.boolean() },
  }),
  fc.record({ is: fc.constant('custom' as const), name, description: text }),
);

/** Requests that each dialect of OpenAI has words for. */
export const asks: fc.Arbitrary<Ask> = fc.record(
  {
    model: name,
    messages: fc
      .tuple(text, fc.array(turn, { minLength: 1, maxLength: 3 }))
      .map(([told, turns]): AskMessage[] => [
        { role: 'system', parts: [{ is: 'text', text: told }] },
        ...turns.flat(),
      ]),
    tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 3, selector: (each) => each.name }),
    parallelToolCalls: fc.boolean(),
    toolChoice: fc.constantFrom('auto', 'none', 'required'),
    maxOutputTokens: fc.integer({ min: 1, max: 9_999 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    topP: fc.constantFrom(0.1, 1),
    reasoning: fc.record({ effort: fc.constantFrom('low', 'high') }),
    verbosity: fc.constantFrom('low', 'high'),
    format: fc.oneof(
      fc.constant({ is: 'json' as const }),
      fc.record({
        ...{ is: fc.constant('schema' as const), name, description: text, strict: fc.boolean() },
        schema: fc.constant({ type: 'object' }),
      }),
    ),
    stream: fc.boolean(),
    user: name,
    promptCacheKey: name,
  },
  { requiredKeys: ['model', 'messages', 'stream', 'tools'] },
);

export const plainModel = {
  ...{ id: 'm', upstreams: [], reasoning: false, maxOutputTokens: 1_000 },
} as unknown as Model;
export const thinkingModel = { ...plainModel, reasoning: true } as Model;
