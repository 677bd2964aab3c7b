import { expect, it } from 'vitest';
import { chat } from '../../../shared/models/dialects/chat/chat.ts';
import type { Body } from '../../../shared/models/dialects/dialect.ts';
import { messages } from '../../../shared/models/dialects/messages/messages.ts';
import { responses } from '../../../shared/models/dialects/responses/responses.ts';
import { messageOf } from '../../support/servers/message-stub.ts';
import { completionOf } from '../../support/servers/model-stub-pieces.ts';
import { messageItem, responseOf } from '../../support/servers/responses-stub.ts';

const answers = {
  chat: JSON.parse(completionOf('hello', [5, 3])) as Body,
  messages: JSON.parse(messageOf([{ type: 'text', text: 'hello' }])) as Body,
  responses: responseOf([messageItem('hello')]) as Body,
};

it.each([
  ['chat', chat],
  ['messages', messages],
  ['responses', responses],
] as const)('an answer of another dialect is none of %s', (name, dialect) => {
  for (const [of, answer] of Object.entries(answers)) {
    const ends = dialect.readAnswer(answer).filter(({ is }) => is === 'end');
    expect(ends, of).toHaveLength(of === name ? 1 : 0);
  }
});

it('a piece or a reason whose type is the name of any object’s field says nothing', () => {
  const reader = messages.reader();
  const start = { type: 'message_start', message: {} };
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text' } };
  const piece = { type: 'content_block_delta', index: 0, delta: { type: 'constructor' } };
  const stop = { type: 'content_block_stop', index: 0 };
  const end = { type: 'message_delta', delta: { stop_reason: 'constructor' } };

  const events = [start, block, piece, stop, end, { type: 'message_stop' }].flatMap((event) =>
    reader.read(event),
  );

  expect(events).toEqual([{ is: 'start' }, { is: 'end', reason: 'stop' }]);
});
