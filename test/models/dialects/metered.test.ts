import { expect, it } from 'vitest';
import { meteredOf } from '../../../shared/models/dialects/metered.ts';
import { responses } from '../../../shared/models/dialects/responses/responses.ts';

it('a response is metered by the tier that its provider says it was of', () => {
  const usage = { input_tokens: 3, output_tokens: 4 };
  const events = responses.readAnswer({ status: 'completed', service_tier: 'priority', usage });

  expect(meteredOf(events)).toMatchObject({
    service_tier: 'priority',
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  });
});

it('thoughts that a provider counts beside its output are part of it', () => {
  const usage = {
    ...{ input_tokens: 3, output_tokens: 4, total_tokens: 17 },
    output_tokens_details: { reasoning_tokens: 10 },
  };

  expect(meteredOf(responses.readAnswer({ status: 'completed', usage }))).toMatchObject({
    usage: { prompt_tokens: 3, completion_tokens: 14, total_tokens: 17 },
  });
});

it.each([
  { input_tokens: 'many', output_tokens: null },
  { input_tokens: -3, output_tokens: 2 },
  'none',
  [],
])('a usage that is none breaks nothing: %j', (usage) => {
  expect(() => meteredOf(responses.readAnswer({ status: 'completed', usage }))).not.toThrow();
});
