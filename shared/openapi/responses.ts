import { ResponseTokens, ResponseTokensRequest } from '../chat/count-response-tokens.ts';
import { ModelResponse, ResponseEvent, ResponseUsage } from '../chat/response.ts';
import { ResponseItem } from '../chat/response-input.ts';
import { ResponseRequest, ResponseText, ResponseTool } from '../chat/response-request.ts';
import { catalogue } from '../models/catalogue.ts';
import { noSuchModel, otherModels } from './completions.ts';
import { completionErrorAnswer, modelErrors } from './error-answers.ts';
import { headersOfAnswers } from './headers.ts';
import { component, content, json, operation } from './operation.ts';

const requestFields = {
  model: 'The model’s id; `GET /v1/models` lists those that the key may use.',
  models: otherModels,
  input: 'What is asked: a text, or all that was said and done so far.',
  instructions: 'What the model is told before.',
  stream: 'Whether the answer comes in pieces; recommended.',
  store: 'Only `false`, which it is where it is not given.',
  max_output_tokens:
    'The most tokens to answer with, thoughts among them. The less it is, the less of the budget is held for the answer.',
  temperature: 'How freely the model chooses its words.',
  top_p: 'The share of likely words that it chooses from.',
  tools:
    'What the model may call: functions, custom tools, namespaces of these, and a `tool_search` that the client runs. Others are refused.',
  tool_choice: 'Whether it may, must or must not call them, or which one it must.',
  parallel_tool_calls: 'Whether it may call several at once.',
  text: 'What form the answer has.',
  reasoning: 'How much it thinks, and whether its thoughts are told.',
  include: 'What the answer has beside the usual, such as `reasoning.encrypted_content`.',
  metadata:
    'Up to 16 tags of your own, kept on the call’s charge and told to no model: the operator’s exports can be grouped by them.',
};

export const components = {
  ResponseRequest: component(
    ResponseRequest,
    'A request for a response. Parameters that aren’t named here pass through to the model untouched, but one within two edits of OpenAI’s is refused with a suggestion, and so is what would need a conversation to be kept (`store: true`, `previous_response_id`, `conversation`, `prompt`, `background`), and what would be billed without a price that the service knows. Where the model’s provider speaks another protocol, the request is translated; what it has no words for is a 400 that names it.',
    requestFields,
  ),
  ResponseTokensRequest: component(
    ResponseTokensRequest,
    'A request for a response that is to be counted.',
    requestFields,
  ),
  ResponseItem: component(
    ResponseItem,
    'Something that was said or done: a message, a call of a tool, its output, or a thought.',
  ),
  ResponseTool: component(ResponseTool, 'A tool.', {
    type: 'What kind of tool it is: `function` and `custom` are run by the caller.',
  }),
  ResponseText: component(ResponseText, 'The form of an answer.', {
    format: '`text`, `json_object`, or `json_schema` with a name and a schema.',
    verbosity: 'How long it is: `low`, `medium` or `high`.',
  }),
  Response: component(ModelResponse, 'A whole answer, as the provider gave it.', {
    id: 'The answer’s id. Nothing can be asked by it later.',
    status: 'How it ended: `completed`, `incomplete` or `failed`.',
    model: 'The model that answered.',
    output: 'What the model thinks, says and calls.',
    usage: 'The tokens it took.',
  }),
  ResponseUsage: component(ResponseUsage, 'Tokens as the provider counts them.', {
    input_tokens: 'Of what was asked.',
    output_tokens: 'Of the answer, thoughts among them.',
    total_tokens: 'Both.',
  }),
  ResponseEvent: component(
    ResponseEvent,
    'One event of a streamed answer, from `response.created` to `response.completed`, `response.incomplete` or `response.failed`.',
    { type: 'What happened.', sequence_number: 'Which event it is, from 0.' },
  ),
  ResponseTokens: component(ResponseTokens, 'How long a request is.', {
    input_tokens: 'An estimate of its tokens.',
  }),
};

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
      200: {
        description: 'The answer, as a whole or in pieces.',
        headers: headersOfAnswers,
        content: {
          'application/json': content(ModelResponse, {
            'An answer': {
              ...response,
              status: 'completed',
              output: [
                {
                  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
                  content: [{ type: 'output_text', text: 'Hello!', annotations: [] }],
                },
              ],
              usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
            },
          }),
          'text/event-stream': content(ResponseEvent, {
            'A piece of a text': {
              ...{ type: 'response.output_text.delta', sequence_number: 4, delta: 'Hel' },
              ...{ item_id: 'msg_1', output_index: 0, content_index: 0 },
            },
            'A stream that broke off': {
              ...{ type: 'response.failed', sequence_number: 5 },
              response: {
                ...response,
                status: 'failed',
                error: { code: 'server_error', message: 'The model broke off its answer.' },
              },
            },
          }),
        },
      },
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
