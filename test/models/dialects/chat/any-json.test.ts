import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Ask } from '../../../../shared/models/dialects/ask.ts';
import { chat } from '../../../../shared/models/dialects/chat/chat.ts';
import type { Body } from '../../../../shared/models/dialects/dialect.ts';
import { meteredOf } from '../../../../shared/models/dialects/metered.ts';
import { responses } from '../../../../shared/models/dialects/responses/responses.ts';
import { cases } from '../../../support/run/cases.ts';
import { changed, expectHandled } from '../any-json.ts';

const numRuns = cases(500, 5_000);
const ask: Ask = { model: 'm', messages: [], stream: true };

const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const usage = {
  ...{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  prompt_tokens_details: { cached_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const chunks = [
  { id: 'a', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'hi' } }] },
  { id: 'a', choices: [{ index: 0, delta: { reasoning_content: 'hm', tool_calls: [call] } }] },
  {
    id: 'a',
    choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
    service_tier: 'flex',
  },
  { id: 'a', choices: [], usage },
];

describe('any JSON that a server of chat completions', () => {
  it('streams is translated, or refused as broken', () => {
    fc.assert(
      fc.property(changed(chunks), (sent) => {
        if (!Array.isArray(sent)) return;
        const reader = chat.reader();
        const writer = responses.writer(ask);
        expectHandled(() => {
          for (const chunk of sent) {
            if (typeof chunk !== 'object' || chunk === null) continue;
            const events = reader.read(chunk as Body);
            meteredOf(events);
            for (const event of events) writer.write(event);
          }
          for (const event of reader.finish()) writer.write(event);
        });
      }),
      { numRuns },
    );
  });

  it('answers is translated, or refused as broken', () => {
    const message = { role: 'assistant', content: 'hi', tool_calls: [call] };
    const whole = {
      id: 'a',
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    };
    fc.assert(
      fc.property(changed(whole), (answer) => {
        if (typeof answer !== 'object' || answer === null) return;
        expectHandled(() => responses.writeAnswer(chat.readAnswer(answer as Body), ask));
      }),
      { numRuns },
    );
  });
});
