import type * as v from 'valibot';
import { Completion } from '../chat/completion.ts';
import { CompletionRequest } from '../chat/completion-request.ts';
import { ModelList } from '../chat/models.ts';
import { catalogue } from '../models/catalogue.ts';
import { completionLimitReached } from './common-answers.ts';
import { CompletionEvent } from './completion-schemas.ts';
import { CompletionErrorBody, type ErrorObject } from './error-schemas.ts';
import { type Answer, content, json, type Operation } from './operation.ts';

const model = catalogue.defaults.chat;

const refusal = (
  description: string,
  error: Omit<v.InferOutput<typeof ErrorObject>, 'param'> & { param?: string },
): Answer =>
  json(description, CompletionErrorBody, { [error.code]: { error: { param: null, ...error } } });

export const completionOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    operationId: 'createChatCompletion',
    tag: 'Chat completions',
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
        headers: [
          'x-request-id',
          'x-quire-budget-remaining-usd',
          'x-ratelimit-limit-requests',
          'x-ratelimit-remaining-requests',
          'x-ratelimit-reset-requests',
        ],
        content: {
          'application/json': content(Completion, {
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
      400: refusal(
        'Something is wrong with the request, or the messages are longer than the model takes.',
        {
          message: `The messages are longer than the 400000 tokens that ${model} takes.`,
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      ),
      404: refusal('There is no such model, or the key may not use it.', {
        message: 'The model no-such-model does not exist.',
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      }),
      429: completionLimitReached,
      503: {
        ...refusal('No provider of the model answers now.', {
          message: 'The model did not answer in time.',
          type: 'server_error',
          code: 'model_unavailable',
        }),
        headers: ['Retry-After'],
      },
    },
  },
  {
    method: 'get',
    path: '/v1/models',
    operationId: 'listModels',
    tag: 'Chat completions',
    summary: 'List the models that your key may use',
    description: 'Models that chat. The OCR engines that jobs take are not among them.',
    answers: {
      200: json('The models.', ModelList, {
        Models: {
          object: 'list',
          data: [{ id: model, object: 'model', created: 0, owned_by: 'openai' }],
        },
      }),
    },
  },
];
