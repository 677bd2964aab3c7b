import { MessageTokenCount } from '../chat/count-message-tokens.ts';
import * as answers from '../chat/message.ts';
import * as request from '../chat/message-request.ts';
import { catalogue } from '../models/catalogue.ts';
import { messagesErrorAnswer, modelErrors } from './error-answers.ts';
import { headersOfAnswers } from './headers.ts';
import {
  content,
  described,
  json,
  kept,
  operation,
  parameters,
  wholeOrStreamed,
} from './operation.ts';

/** The document calls another schema a source. */
const { Source: BlockSource, ...requests } = request;

export const components = described({ ...requests, BlockSource, ...answers, MessageTokenCount });

const model = catalogue.defaults.chat;
const messages = [{ role: 'user' as const, content: 'Say hello.' }];

const wrongRequest = messagesErrorAnswer(
  'Something is wrong with the request, or the messages are longer than the model takes.',
  'invalid_request_error',
  `prompt is too long: The messages are longer than the 400000 tokens that ${model} takes.`,
);
const noSuchModel = messagesErrorAnswer(
  'There is no such model, or the key may not use it.',
  'not_found_error',
  'The model no-such-model does not exist. GET /v1/models lists those that do.',
);

export const operations = [
  operation('post /v1/messages', 'createMessage', 'Messages', {
    summary: 'Ask a model, as Anthropic’s clients do',
    description:
      'With `stream: true` the answer is a stream of named server-sent events. A model whose provider speaks Messages gets the request with as few changes as can be; for any other it is translated.',
    parameters: parameters('header', request.MessageHeaders, {
      'anthropic-version': {
        description: 'The version of the protocol, for a provider that speaks it.',
        example: '2023-06-01',
      },
      'anthropic-beta': 'What the provider is to try out, if it speaks the protocol.',
    }),
    body: content(request.MessageRequest, {
      'A question': { model, max_tokens: 200, messages },
      'A streamed answer': {
        model,
        stream: true,
        max_tokens: 200,
        system: [{ type: 'text', text: 'Answer in one sentence.' }],
        messages,
      },
    }),
    answers: {
      200: wholeOrStreamed(
        content(answers.AnsweredMessage, {
          'An answer': {
            id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
            type: 'message',
            role: 'assistant',
            model,
            content: [{ type: 'text', text: 'Hello!' }],
            stop_reason: 'end_turn',
            stop_sequence: null,
            usage: { input_tokens: 9, output_tokens: 2 },
          },
        }),
        content(answers.MessageEvent, { 'A piece of text': kept('A piece of text') }),
        ['request-id', ...headersOfAnswers],
      ),
      400: wrongRequest,
      404: noSuchModel,
      ...modelErrors.messages,
    },
  }),
  operation('post /v1/messages/count_tokens', 'countMessageTokens', 'Messages', {
    summary: 'Estimate a prompt’s tokens',
    description:
      'Estimates what a request’s prompt has. No provider is asked, and it costs nothing.',
    body: content(request.MessageCountRequest, { 'A question': { model, messages } }),
    answers: {
      200: json('The estimate.', MessageTokenCount, { 'An estimate': { input_tokens: 9 } }),
      400: wrongRequest,
      404: noSuchModel,
    },
  }),
];
