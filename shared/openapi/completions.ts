import * as v from 'valibot';
import * as completion from '../chat/completion.ts';
import { CompletionRequest } from '../chat/completion-request.ts';
import {
  AnthropicModel,
  AnthropicModelList,
  ModelsHeader,
  ModelsQuery,
} from '../chat/model-entries.ts';
import { ModelEntry, ModelList, ModelPath } from '../chat/models.ts';
import { catalogue } from '../models/catalogue.ts';
import { completionErrorAnswer, modelErrors } from './error-answers.ts';
import { CompletionErrorBody, ErrorObject, MessagesErrorBody } from './error-bodies.ts';
import { headersOfAnswers } from './headers.ts';
import { component, content, json, operation, parameters } from './operation.ts';

const BrokenStream = v.object({ error: ErrorObject });
const AnyModel = v.union([ModelEntry, AnthropicModel]);
const AnyModelList = v.union([ModelList, AnthropicModelList]);
/** In the shape in which models would have come. */
const ModelsErrorBody = v.union([CompletionErrorBody, MessagesErrorBody]);
const CompletionEvent = v.union([completion.CompletionChunk, BrokenStream]);

/** What `models` says in each protocol. */
export const otherModels =
  'Up to 8 other models that may answer, in this order, where no provider of the one before does. What the dearest of them can cost is held, and the price of the one that answers is paid.';

export const components = {
  CompletionRequest: component(
    CompletionRequest,
    'A chat-completions request. Parameters that aren’t named here (`tools`, `response_format`, `seed` …) pass through to the model untouched, but one within two edits of OpenAI’s is refused with a suggestion, and so is what would be billed without a price that the service knows: a tool other than `function` and `custom`, `cache_control`, audio or images as an answer.',
    {
      model: 'The model’s id; `GET /v1/models` lists those that the key may use.',
      models: otherModels,
      messages: 'The conversation to be answered.',
      stream: 'Whether the answer comes in pieces; recommended.',
      stream_options: '`include_usage` asks for a last chunk with the usage.',
      temperature:
        'How freely the model chooses its words; 0.15 where it is not given and the model takes it.',
      max_tokens:
        'The most tokens to answer with. The less it is, the less of the budget is held for the answer. Other servers’ names for it, such as `n_predict`, are refused. An answer in one piece may have 16 MB: where `n` and `top_logprobs` would make it larger, less is allowed unless it is streamed.',
      max_completion_tokens: 'The same, by its newer name. If both are there, the smaller counts.',
      n: 'How many answers to give.',
      metadata:
        'Up to 16 tags of your own, kept on the call’s charge and told to no model: the operator’s exports can be grouped by them. A provider gets them with `store` alone.',
    },
  ),
  Completion: component(completion.Completion, 'A whole answer, as the provider gave it.', {
    id: 'The answer’s id.',
    model: 'The model that answered.',
    choices: 'The answers.',
    usage: 'The tokens it took.',
  }),
  CompletionChoice: component(completion.CompletionChoice, 'One answer.', {
    index: 'Which one.',
    message: 'What the model says.',
    finish_reason: 'Why it stopped: `stop`, `length`, `tool_calls` …',
  }),
  CompletionMessage: component(completion.CompletionMessage, 'What the model says.', {
    role: 'Who speaks: `assistant`.',
    content: 'The answer’s text.',
  }),
  CompletionUsage: component(completion.CompletionUsage, 'Tokens as the provider counts them.', {
    prompt_tokens: 'Of what was asked.',
    completion_tokens: 'Of the answer.',
    total_tokens: 'Both.',
  }),
  CompletionEvent: component(CompletionEvent, 'One event of a streamed answer.'),
  CompletionChunk: component(completion.CompletionChunk, 'A piece of an answer.', {
    id: 'The answer’s id.',
    model: 'The model that answers.',
    choices: 'What is added to each answer.',
    usage: 'The tokens it took, in the last chunk, if `stream_options.include_usage` asked for it.',
  }),
  ChunkChoice: component(completion.ChunkChoice, 'What is added to one answer.', {
    index: 'Which one.',
    delta: 'What is added.',
    finish_reason: 'Why the model stopped, in an answer’s last chunk.',
  }),
  ChunkDelta: component(completion.ChunkDelta, 'What is added to an answer.', {
    role: 'Who speaks, in an answer’s first chunk.',
    content: 'Text to add to what came before.',
  }),
  BrokenStream: component(
    BrokenStream,
    'The last event of a stream that broke off, or was read too slowly: no `[DONE]` follows it.',
    { error: 'What went wrong.' },
  ),
  ModelList: component(ModelList, 'Models.', { data: 'The models.' }),
  AnyModelList: component(AnyModelList, 'Models, in the shape that was asked for.'),
  AnyModel: component(AnyModel, 'A model, in the shape that was asked for.'),
  ModelsError: component(ModelsErrorBody, 'An error, in the shape in which models would come.'),
  AnthropicModelList: component(AnthropicModelList, 'A page of models, in Anthropic’s shape.', {
    data: 'The models.',
    has_more: 'Whether there are others.',
    first_id: 'The first model of the page; null where it has none.',
    last_id: 'The last one.',
  }),
  AnthropicModel: component(AnthropicModel, 'A model, in Anthropic’s shape.', {
    type: 'What kind of object this is.',
    id: 'What to name it by.',
    display_name: 'The same.',
    created_at: 'Always the beginning of 1970.',
  }),
  Model: component(ModelEntry, 'A model.', {
    id: 'What to name it by.',
    created: 'The time of this answer, in seconds: how old a model is isn’t known.',
    owned_by: 'Who provides it.',
  }),
};

const model = catalogue.defaults.chat;
const entry = { id: model, object: 'model', created: 1795187045, owned_by: 'openai' } as const;
const anthropicEntry = {
  type: 'model',
  id: model,
  display_name: model,
  created_at: '1970-01-01T00:00:00Z',
} as const;
const noModelError = {
  message: 'The model no-such-model does not exist.',
  type: 'invalid_request_error',
  param: 'model',
  code: 'model_not_found',
};
export const noSuchModel = completionErrorAnswer(
  'There is no such model, or the key may not use it.',
  noModelError.message,
  noModelError,
);
const wrongModels = json('A parameter is wrong.', ModelsErrorBody, {
  'A page that is too long': {
    error: {
      message: 'limit: Input should be less than or equal to 1000',
      type: 'invalid_request_error',
      param: 'limit',
      code: 'invalid_request_error',
    },
  },
});
const modelsHeaders = {
  'anthropic-version': {
    name: 'anthropic-version',
    description: 'Asks for Anthropic’s shape.',
    example: '2023-06-01',
  },
  'x-api-key': { name: 'x-api-key', description: 'The key, as Anthropic’s clients send it.' },
};

export const operations = [
  operation('post /v1/chat/completions', 'createChatCompletion', 'Chat completions', {
    summary: 'Ask a model',
    description:
      'With `stream: true` the answer is a stream of server-sent events: each `data:` line is one chunk as JSON; the last is `data: [DONE]`.',
    body: content(CompletionRequest, {
      'A question': { model, messages: [{ role: 'user', content: 'Say hello.' }] },
      'A streamed answer': {
        model,
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0.7,
        max_tokens: 200,
        messages: [
          { role: 'system', content: 'Answer in one sentence.' },
          { role: 'user', content: 'Why is the sky blue?' },
        ],
      },
    }),
    answers: {
      200: {
        description: 'The answer, as a whole or in pieces.',
        headers: headersOfAnswers,
        content: {
          'application/json': content(completion.Completion, {
            'An answer': {
              id: 'chatcmpl-Bx4T0',
              object: 'chat.completion',
              created: 1795187045,
              model,
              choices: [
                {
                  index: 0,
                  message: { role: 'assistant', content: 'Hello!' },
                  finish_reason: 'stop',
                },
              ],
              usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
            },
          }),
          'text/event-stream': content(CompletionEvent, {
            'A chunk': {
              id: 'chatcmpl-Bx4T0',
              object: 'chat.completion.chunk',
              created: 1795187045,
              model,
              choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }],
            },
            'A stream that broke off': {
              error: {
                message: 'The model broke off its answer.',
                type: 'server_error',
                param: null,
                code: 'model_unavailable',
              },
            },
          }),
        },
      },
      400: completionErrorAnswer(
        'Something is wrong with the request, or the messages are longer than the model takes.',
        `The messages are longer than the 400000 tokens that ${model} takes.`,
        { param: 'messages', code: 'context_length_exceeded' },
      ),
      404: noSuchModel,
      ...modelErrors.completions,
    },
  }),
  operation('get /v1/models', 'listModels', 'Chat completions', {
    summary: 'List the models that your key may use',
    description:
      'Models that chat. The OCR engines that jobs take are not among them. With `anthropic-version` or `x-api-key` they come in Anthropic’s shape, a page at a time.',
    parameters: [
      parameters('header', ModelsHeader, modelsHeaders),
      parameters('query', ModelsQuery, {
        limit: 'How many models a page has, in Anthropic’s shape.',
        after_id: 'The model after which the page begins.',
        before_id: 'The model before which the page ends.',
      }),
    ],
    answers: {
      200: json('The models.', AnyModelList, {
        Models: { object: 'list', data: [entry] },
        'In Anthropic’s shape': {
          data: [anthropicEntry],
          has_more: false,
          first_id: model,
          last_id: model,
        },
      }),
      400: wrongModels,
    },
  }),
  operation('get /v1/models/{model}', 'getModel', 'Chat completions', {
    summary: 'Read one model',
    description: 'Whether there is a model that your key may use by this id.',
    parameters: [
      parameters('path', ModelPath, {
        model: { description: 'The model’s id. It may have slashes.', example: model },
      }),
      parameters('header', ModelsHeader, modelsHeaders),
    ],
    answers: {
      200: json('The model.', AnyModel, {
        'A model': entry,
        'In Anthropic’s shape': anthropicEntry,
      }),
      404: json('There is no such model, or the key may not use it.', ModelsErrorBody, {
        model_not_found: { error: noModelError },
      }),
    },
  }),
];
