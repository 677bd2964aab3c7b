import { beforeEach } from 'vitest';
import { sqs } from '../../../shared/aws/sqs.ts';
import { bookLateCalls } from '../../../shared/ledger/book-late.ts';
import { eventOf, recordOf } from '../servers/queue.ts';

/** Collects the bodies of the messages that each test sends, and has the calls booked that they hand over. */
export function useLateMessages() {
  const sent: string[] = [];
  sqs.middlewareStack.add(
    (next) => async (args) => {
      sent.push(String((args.input as { MessageBody?: string }).MessageBody));
      return next(args);
    },
    { step: 'initialize', name: 'sent' },
  );
  beforeEach(() => {
    sent.length = 0;
  });
  return { sent, book: () => bookLateCalls(eventOf(...sent.map((body) => recordOf(body)))) };
}
