import { expect, it } from 'vitest';
import type { Ask } from '../../../shared/models/dialects/ask.ts';
import { translateResponse } from '../../../shared/models/dialects/translate.ts';
import { dialects } from '../../../shared/models/upstreams/wires.ts';
import { messageStream } from '../../support/servers/message-stub.ts';
import { streamOf } from '../../support/servers/model-stub-pieces.ts';
import { anyBytes } from '../../support/servers/rooms.ts';

const ask: Ask = { model: 'a-model', messages: [], stream: true };

const eventsIn = (body: string) =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } });

it('keeps a stream alive that its provider keeps alive, in the caller’s words', async () => {
  const { chat, messages } = dialects;
  const toChat = eventsIn(messageStream([{ type: 'text', text: 'hello' }]).join(''));
  const toMessages = eventsIn([': still here\n\n', ...streamOf(['hello'])].join(''));

  expect(await translateResponse(toChat, messages, chat, ask, anyBytes()).text()).toContain(
    ': ping\n\n',
  );
  expect(await translateResponse(toMessages, chat, messages, ask, anyBytes()).text()).toMatch(
    /^event: ping\ndata: \{"type":"ping"\}\n\nevent: message_start/,
  );
});
