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
import {
  content,
  described,
  json,
  kept,
  operation,
  parameters,
  wholeOrStreamed,
} from './operation.ts';

const BrokenStream = v.object({ error: ErrorObject });
const AnyModel = v.union([ModelEntry, AnthropicModel]);
const AnyModelList = v.union([ModelList, AnthropicModelList]);
/** Errors come in the shape that the list of models would have had. */
const ModelsErrorBody = v.union([CompletionErrorBody, MessagesErrorBody]);
const CompletionEvent = v.union([completion.CompletionChunk, BrokenStream]);

/** What `models` says in each protocol. */
export const otherModels =
  'Up to 8 other models that may answer, in this order, where no provider of the one before does. What the dearest of them can cost is held, and the price of the one that answers is paid.';

export const components = described({
  ...completion,
  CompletionRequest,
  CompletionEvent,
  BrokenStream,
  ModelList,
  AnyModelList,
  AnyModel,
  ModelsError: ModelsErrorBody,
  AnthropicModelList,
  AnthropicModel,
  Model: ModelEntry,
});

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
  'A page that is too long': kept('A page that is too long'),
});
const modelsHeaders = {
  'anthropic-version': { description: 'Asks for Anthropic’s shape.', example: '2023-06-01' },
  'x-api-key': 'The key, as Anthropic’s clients send it.',
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
      200: wholeOrStreamed(
        content(completion.Completion, {
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
        content(CompletionEvent, {
          'A chunk': {
            id: 'chatcmpl-Bx4T0',
            object: 'chat.completion.chunk',
            created: 1795187045,
            model,
            choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }],
          },
          'A stream that broke off': kept('A stream that broke off'),
        }),
      ),
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
