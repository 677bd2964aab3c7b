import { ResponseTokens, ResponseTokensRequest } from '../chat/count-response-tokens.ts';
import { ModelResponse, ResponseEvent, ResponseUsage } from '../chat/response.ts';
import { ResponseItem } from '../chat/response-input.ts';
import { ResponseRequest, ResponseText, ResponseTool } from '../chat/response-request.ts';
import { catalogue } from '../models/catalogue.ts';
import { noSuchModel } from './completions.ts';
import { completionErrorAnswer, modelErrors } from './error-answers.ts';
import { content, described, json, operation, wholeOrStreamed } from './operation.ts';

export const components = described({
  ResponseRequest,
  ResponseTokensRequest,
  ResponseItem,
  ResponseTool,
  ResponseText,
  Response: ModelResponse,
  ResponseUsage,
  ResponseEvent,
  ResponseTokens,
});

const model = catalogue.defaults.chat;
const refused = completionErrorAnswer(
  'Something is wrong with the request, the model’s provider can’t be told it, or it is longer than the model takes.',
  'previous_response_id: not available. Quire keeps nothing of a conversation: send all of it in input',
  { param: 'previous_response_id' },
);
const response = { id: 'resp_1f0c', object: 'response', created_at: 1795187045, model } as const;

export const operations = [
  operation('post /v1/responses', 'createResponse', 'Responses', {
    summary: 'Ask a model',
    description:
      'With `stream: true` the answer is a stream of server-sent events: each has its type, and one JSON object as its data.',
    body: content(ResponseRequest, {
      'A question': { model, input: 'Say hello.' },
      'A streamed answer with a tool': {
        model,
        stream: true,
        instructions: 'Answer in one sentence.',
        max_output_tokens: 200,
        input: [{ role: 'user', content: 'What is the weather in Bern?' }],
        tools: [
          {
            type: 'function',
            name: 'weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
          },
        ],
      },
    }),
    answers: {
      200: wholeOrStreamed(
        content(ModelResponse, {
          'An answer': {
            ...response,
            status: 'completed',
            output: [
              {
                type: 'message',
                id: 'msg_1',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text: 'Hello!', annotations: [] }],
              },
            ],
            usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
          },
        }),
        content(ResponseEvent, {
          'A piece of a text': {
            type: 'response.output_text.delta',
            sequence_number: 4,
            delta: 'Hel',
            item_id: 'msg_1',
            output_index: 0,
            content_index: 0,
          },
          'A stream that broke off': {
            type: 'response.failed',
            sequence_number: 5,
            response: {
              ...response,
              status: 'failed',
              error: { code: 'server_error', message: 'The model broke off its answer.' },
            },
          },
        }),
      ),
      400: refused,
      404: noSuchModel,
      ...modelErrors.completions,
    },
  }),
  operation('post /v1/responses/input_tokens', 'countResponseTokens', 'Responses', {
    summary: 'Count what would be asked',
    description: 'Nothing is asked of a model, and nothing is charged. The count is an estimate.',
    body: content(ResponseTokensRequest, { 'A question': { model, input: 'Say hello.' } }),
    answers: {
      200: json('The count.', ResponseTokens, {
        'A count': { object: 'response.input_tokens', input_tokens: 3 },
      }),
      400: refused,
      404: noSuchModel,
    },
  }),
];
