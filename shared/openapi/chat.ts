import { ChatEvent } from '../chat/chat-event.ts';
import { ChatStreamRequest } from '../chat/stream-request.ts';
import { catalogue } from '../models/catalogue.ts';
import { invalid, limitReached, sentence } from './common-answers.ts';
import { content, type Operation } from './operation.ts';

export const chatOperations: Operation[] = [
  {
    method: 'post',
    path: '/chat/stream',
    operationId: 'streamChat',
    tag: 'Chat',
    summary: 'Send a message, watch the answer come',
    description:
      'The answer is a stream of server-sent events. Each `data:` line is one event as JSON; the last is `data: [DONE]`. A comment line every 15 seconds keeps idle proxies from closing the connection.',
    body: content(ChatStreamRequest, {
      'A message': { message: 'What is a doorbell queue?' },
      'A conversation, with a file': {
        message: 'And what does this log say?',
        session_id: 'support-4711',
        user_id: 'ada',
        files: [{ name: 'service.log', content: '12:01 started\n12:07 out of memory' }],
      },
    }),
    answers: {
      200: {
        description: 'The events, as they come.',
        headers: ['x-request-id'],
        content: {
          'text/event-stream': content(ChatEvent, {
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
            sources: {
              type: 'sources',
              sources: [{ title: 'Queues', url: 'https://example.com/queues' }],
            },
            usage: {
              type: 'usage',
              tokens: { prompt: 21, completion: 64, total: 85 },
              cost_usd: 0.00013,
            },
            done: { type: 'done', finish_reason: 'stop' },
            error: {
              type: 'error',
              code: 'model_unavailable',
              message: 'The model broke off its answer.',
            },
          }),
        },
      },
      400: sentence(
        'The conversation is longer than the model takes, or the provider refuses the request.',
        `The messages are longer than the 400000 tokens that ${catalogue.defaults.chat} takes.`,
      ),
      404: sentence('The provider doesn’t know the model.', 'The model does not exist.'),
      422: invalid({
        'No message': {
          detail: [{ loc: ['body', 'message'], msg: 'Field required', type: 'missing' }],
        },
      }),
      429: limitReached,
      503: {
        ...sentence('No provider of the model answers now.', 'The model did not answer in time.'),
        headers: ['Retry-After'],
      },
    },
  },
];
