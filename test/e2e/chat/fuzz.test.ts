import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '../../support/run/cases.ts';
import { shared } from '../../support/run/shared.ts';
import { eventsOf, post } from '../../support/servers/event-reader.ts';

const stage = await shared('stage');

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', '\u0000', '"', '\\', 'é', '😀', 'a') }),
);
const anything = fc.jsonValue({ maxDepth: 3, noUnicodeString: false });
const oddly = <Value>(usual: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: usual, weight: 12 }, { arbitrary: anything, weight: 1 });

const message = fc.record(
  {
    role: oddly(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool')),
    content: oddly(fc.oneof(text, fc.array(anything, { maxLength: 2 }))),
    name: oddly(text),
    tool_call_id: oddly(text),
    tool_calls: oddly(fc.array(anything, { maxLength: 2 })),
    refusal: oddly(text),
  },
  { requiredKeys: ['role', 'content'] },
);
const completion = fc.record(
  {
    model: oddly(fc.constantFrom('gpt-4.1', 'gpt-5-mini', 'no-such-model')),
    messages: oddly(fc.array(oddly(message), { minLength: 1, maxLength: 3 })),
    stream: oddly(fc.boolean()),
    stream_options: oddly(fc.record({ include_usage: oddly(fc.boolean()) })),
    temperature: oddly(fc.double({ min: -0.1, max: 2.1, noNaN: true })),
    max_tokens: oddly(fc.integer({ min: -1, max: 50 })),
    max_completion_tokens: oddly(fc.integer({ min: -1, max: 50 })),
    n: oddly(fc.integer({ min: 0, max: 2 })),
    tools: oddly(fc.constant(undefined)),
    response_format: oddly(fc.constant(undefined)),
    image_url: anything,
  },
  { requiredKeys: ['model', 'messages'] },
);
const plainCompletion = fc.record({
  model: fc.constantFrom('gpt-4.1', 'gpt-5-mini'),
  messages: fc.array(fc.record({ role: fc.constant('user'), content: text }), { minLength: 1 }),
  stream: fc.boolean(),
  temperature: oddly(fc.constant(1)),
});
const chat = fc.record(
  {
    message: oddly(text),
    model: oddly(fc.constantFrom('gpt-4.1', 'no-such-model')),
    session_id: oddly(text),
    user_id: oddly(text),
    web_search: oddly(fc.constant(false)),
    chat_history: oddly(
      fc.array(oddly(fc.record({ role: fc.constant('user'), content: oddly(text) })), {
        maxLength: 2,
      }),
    ),
    api_key: fc.constantFrom(null, stage.api_key),
    images: oddly(fc.array(fc.record({ base64: oddly(fc.base64String()) }), { maxLength: 2 })),
    files: oddly(fc.array(oddly(fc.record({ name: text, content: oddly(text) })))),
  },
  { requiredKeys: ['message'] },
);
const plainChat = fc.record(
  {
    message: fc.string({ unit: 'grapheme', minLength: 1 }),
    session_id: fc.constantFrom('one', 'two'),
    user_id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    files: fc.array(fc.record({ name: text, content: text })),
    images: fc.array(fc.record({ base64: fc.base64String({ minLength: 4 }) }), { maxLength: 2 }),
  },
  { requiredKeys: ['message'] },
);

const asBody = (value: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { arbitrary: value.map((each) => JSON.stringify(each)), weight: 8 },
    { arbitrary: anything.map((each) => JSON.stringify(each)), weight: 1 },
    { arbitrary: value.map((each) => JSON.stringify(each).slice(0, -2)), weight: 1 },
    { arbitrary: text, weight: 1 },
  );

it.each<[string, fc.Arbitrary<unknown>, number[]]>([
  ['/v1/chat/completions', fc.oneof(completion, plainCompletion), [200, 400, 404]],
  ['/chat/stream', fc.oneof(chat, plainChat), [200, 400, 422]],
])(
  'any body at all is answered or refused at %s, and no fault of ours',
  async (path, value, expected) => {
    let answered = 0;

    await fc.assert(
      fc.asyncProperty(asBody(value), async (body) => {
        const response = await post(stage, path, body);

        const said = await response.text();
        expect(expected, said).toContain(response.status);
        if (response.status === 200) answered += 1;
        if (response.headers.get('content-type') === 'text/event-stream') {
          expect(eventsOf(said).at(-1)).toBe('[DONE]');
        }
      }),
      { numRuns: cases(30, 150) },
    );

    expect(answered).toBeGreaterThan(0);
  },
);
