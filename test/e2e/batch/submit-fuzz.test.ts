import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { jobFields } from '../../support/fixtures/job-fields.ts';
import { cases } from '../../support/run/cases.ts';
import { shared } from '../../support/run/shared.ts';
import { call } from '../../support/servers/api.ts';

const stage = await shared('stage');

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', '\u0000', '"', '\\', 'é', '😀', 'a') }),
);
const anything = fc.jsonValue({ maxDepth: 3, noUnicodeString: false });
const oddly = <Value>(usual: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: usual, weight: 6 }, { arbitrary: anything, weight: 1 });

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: oddly(text) }, { requiredKeys: ['type'] }),
  fc.record(
    { type: fc.constant('image_url'), image_url: oddly(fc.record({ url: oddly(text) })) },
    { requiredKeys: ['type'] },
  ),
  anything,
);
const message = fc.record(
  {
    role: oddly(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool')),
    content: oddly(fc.oneof(text, fc.array(part, { maxLength: 3 }))),
    name: oddly(text),
    tool_call_id: oddly(text),
    tool_calls: oddly(fc.array(anything, { maxLength: 2 })),
  },
  { requiredKeys: ['role', 'content'] },
);
const submission = fc.record(
  {
    job_type: oddly(fc.constantFrom('chat', 'ocr', 'auto')),
    inline: oddly(
      fc.record({ messages: oddly(fc.array(oddly(message), { minLength: 1, maxLength: 3 })) }),
    ),
    drive: oddly(fc.record({ file_id: oddly(text) }, { requiredKeys: [] })),
    model: oddly(fc.constantFrom('gpt-5', 'no-such-model', null)),
    priority: oddly(fc.integer({ min: -1, max: 102 })),
    max_retries: oddly(fc.integer({ min: -1, max: 12 })),
    pipeline: oddly(fc.constantFrom('ocr_then_chat', null)),
    pipeline_instruction: oddly(text),
  },
  { requiredKeys: ['job_type'] },
);
const plainChat = fc.record({
  job_type: fc.constant('chat'),
  inline: fc.record({ messages: fc.array(message, { minLength: 1, maxLength: 2 }) }),
  priority: fc.integer({ min: 1, max: 100 }),
  pipeline_instruction: oddly(text),
});
const body = fc.oneof(
  submission.map((value) => JSON.stringify(value)),
  plainChat.map((value) => JSON.stringify(value)),
  anything.map((value) => JSON.stringify(value)),
  submission.map((value) => JSON.stringify(value).slice(0, -2)),
  text,
);

it('any body at all is accepted or refused with 422 in the shape of the contract', async () => {
  let accepted = 0;

  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const answer = await call<unknown>(stage, 'POST', '/batch/jobs', sent);

      if (answer.status !== 202) expect(answer).toMatchObject({ status: 422, body: refusal });
      else {
        accepted += 1;
        expect(Object.keys(answer.body as JobRecord)).toEqual(jobFields);
      }
    }),
    { numRuns: cases(60, 400) },
  );

  expect(accepted).toBeGreaterThan(0);
});

const refusal = {
  detail: expect.toSatisfy(
    (detail: unknown) =>
      Array.isArray(detail) && detail.length > 0 && detail.every(isFieldErrorOfTheBody),
    'a list of {loc, msg, type} whose locations start with body',
  ),
};

function isFieldErrorOfTheBody(problem: Record<string, unknown>): boolean {
  const { loc, msg, type, ...others } = problem;
  return (
    Array.isArray(loc) &&
    loc[0] === 'body' &&
    loc.every((step) => typeof step === 'string' || Number.isInteger(step)) &&
    typeof msg === 'string' &&
    typeof type === 'string' &&
    Object.keys(others).length === 0
  );
}
