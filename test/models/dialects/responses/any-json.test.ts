import fc from 'fast-check';
import * as v from 'valibot';
import { describe, it } from 'vitest';
import { responseBody } from '../../../../shared/chat/response-body.ts';
import { ResponseRequest } from '../../../../shared/chat/response-request.ts';
import { ServiceError } from '../../../../shared/http/errors.ts';
import { catalogue, type Model } from '../../../../shared/models/catalogue.ts';
import { chat } from '../../../../shared/models/dialects/chat/chat.ts';
import type { Body } from '../../../../shared/models/dialects/dialect.ts';
import { meteredOf } from '../../../../shared/models/dialects/metered.ts';
import { withPlainTools } from '../../../../shared/models/dialects/plain-tools.ts';
import { responses } from '../../../../shared/models/dialects/responses/responses.ts';
import { maxPromptTokens } from '../../../../shared/models/token-bounds.ts';
import { cases } from '../../../support/run/cases.ts';
import {
  callItem,
  itemEvents,
  messageItem,
  responseOf,
  thoughtItem,
} from '../../../support/servers/responses-stub.ts';
import { changed, expectHandled } from '../any-json.ts';

const model = catalogue.models[0] as Model;
const numRuns = cases(500, 5_000);

const request = {
  ...{ model: model.id, instructions: 'x', max_output_tokens: 5, stream: true },
  input: [
    { role: 'user', content: [{ type: 'input_image', image_url: 'data:,' }] },
    { role: 'user', content: [{ type: 'input_file', file_data: 'data:,', filename: 'a' }] },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    thoughtItem('a', 'b'),
    callItem('f', {}),
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] },
    { type: 'additional_tools', tools: [{ type: 'web_search' }] },
  ],
  tools: [{ type: 'function', name: 'f', parameters: {} }, { type: 'mcp' }],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  text: { format: { type: 'json_schema', name: 's', schema: {} }, verbosity: 'low' },
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
};

describe('any JSON', () => {
  it('that is asked is answered, or refused by name', () => {
    fc.assert(
      fc.property(changed(request), (asked) => {
        const parsed = v.safeParse(ResponseRequest, asked);
        if (!parsed.success) return;
        expectHandled(() => {
          const body = responseBody(model, parsed.output);
          maxPromptTokens(model, responses.sized(body));
          chat.writeRequest(withPlainTools(responses.readRequest(body)), model);
        });
      }),
      { numRuns },
    );
  });

  it('that an upstream streams is read, or refused as broken', () => {
    const items = [messageItem('a b'), callItem('f', {}), thoughtItem('a', 'b')];
    const events = [
      { type: 'response.created', response: responseOf([]) },
      ...items.flatMap(itemEvents),
      { type: 'response.completed', response: responseOf(items) },
    ];
    fc.assert(
      fc.property(changed(events), (sent) => {
        if (!Array.isArray(sent)) return;
        const reader = responses.reader();
        expectHandled(() => {
          for (const event of sent) {
            if (typeof event === 'object' && event !== null) meteredOf(reader.read(event as Body));
          }
        });
        reader.cut({ promptTokens: 1, outputTokens: 1 });
        reader.fail(new ServiceError(503, 'x', 'y'));
      }),
      { numRuns },
    );
  });

  it('that an upstream answers is read, or refused as broken', () => {
    const whole = responseOf([messageItem('a b'), callItem('f', {}), thoughtItem('a', 'b')]);
    fc.assert(
      fc.property(changed(whole), (answer) => {
        if (typeof answer !== 'object' || answer === null) return;
        expectHandled(() => {
          const events = responses.readAnswer(answer as Body);
          meteredOf(events);
          chat.writeAnswer(events, { model: 'm', messages: [], stream: false });
        });
      }),
      { numRuns },
    );
  });
});
