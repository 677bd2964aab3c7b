import type { ChatEvent } from '../../../shared/chat/chat-event.ts';
import { Failure } from './failure.ts';

/** Reads the events of an answer as they come. Throws `Failure` if the stream ends before `[DONE]`. */
export async function* readEvents({ body }: Response): AsyncGenerator<ChatEvent> {
  const decoder = new TextDecoder();
  const reader = (body ?? new ReadableStream<Uint8Array>()).getReader();
  let unread = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Failure(0, 'The connection broke off before the answer was whole.');
      const blocks = (unread + decoder.decode(value, { stream: true })).split('\n\n');
      unread = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, text] = block.match(/^data: (.*)$/m) ?? [];
        if (text === '[DONE]') return;
        if (text) yield JSON.parse(text) as ChatEvent;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
