import { answerWith, type SentError, sent } from '../threads/replies.ts';
import type { Part } from './part.ts';
import { refusalOf, type TakingOptions, takeApartHere } from './taking.ts';

/** A part on its way. */
export type SentPart =
  | Exclude<Part, { is: 'unreadable' }>
  | { name: string; is: 'unreadable'; error: SentError };

answerWith(async (options: TakingOptions): Promise<SentPart[]> => {
  try {
    return (await takeApartHere(options)).map(toSent);
  } catch (error) {
    throw refusalOf(error);
  }
});

const toSent = (part: Part): SentPart =>
  part.is === 'unreadable' ? { ...part, error: sent(part.error) } : part;
