import { ByteBudget } from '../../../shared/http/byte-budget.ts';
import { AnswerBytes } from '../../../shared/models/answer-bytes.ts';

/** A room for something of a key's, in a budget of its own. */
export const anyRoom = () => new ByteBudget(2 ** 30).room('a key');

/** Counts an answer in such a room. */
export const anyBytes = (room = anyRoom()) =>
  new AnswerBytes(room, { signal: new AbortController().signal, onTooLarge: () => {} });
