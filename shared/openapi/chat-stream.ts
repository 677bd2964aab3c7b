import * as events from '../chat/chat-event.ts';
import { ChatFile, ChatImage, ChatStreamRequest, HistoryEntry } from '../chat/stream-request.ts';
import { catalogue } from '../models/catalogue.ts';
import { errorAnswer, modelErrors, validationErrors } from './error-answers.ts';
import { content, described, kept, operation } from './operation.ts';

export const components = described({
  ...events,
  ChatStreamRequest,
  ChatHistoryEntry: HistoryEntry,
  ChatImage,
  ChatFile,
});

const streamChat = operation('post /chat/stream', 'streamChat', 'Chat', {
  summary: 'Send a message, watch the answer come',
  description:
    'The answer is a stream of server-sent events. Each `data:` line is one event as JSON; the last is `data: [DONE]`. A comment line every 15 seconds keeps idle proxies from closing the connection.',
  body: content(ChatStreamRequest, {
    'A message': { message: 'What is a dead-letter queue?' },
    'A conversation, with a file': kept('A conversation, with a file'),
    'A question to the web and to Drive': kept('A question to the web and to Drive'),
  }),
  answers: {
    200: {
      description: 'The events, as they come.',
      headers: ['x-request-id'],
      content: {
        'text/event-stream': content(events.ChatEvent, {
          start: {
            type: 'start',
            session_id: 'support-4711',
            message_id: 'msg_019aa1f2-9e04-7c55-b1f0-6a2d8e9c3b17',
            model: catalogue.defaults.chat,
          },
          status: {
            type: 'status',
            stage: 'answering',
            detail: `${catalogue.defaults.chat} is answering`,
          },
          delta: { type: 'delta', content: 'A queue whose messages ' },
          sources: kept('sources'),
          usage: kept('usage'),
          done: { type: 'done', finish_reason: 'stop' },
          error: kept('error'),
        }),
      },
    },
    400: errorAnswer(
      'The conversation is longer than the model takes, or the provider refuses the request.',
      `The messages are longer than the 400000 tokens that ${catalogue.defaults.chat} takes.`,
    ),
    404: errorAnswer('The provider doesn’t know the model.', 'The model does not exist.'),
    422: validationErrors({
      'No message': { loc: ['body', 'message'], msg: 'Field required', type: 'missing' },
    }),
    ...modelErrors.detail,
  },
});

export const operations = [streamChat];
