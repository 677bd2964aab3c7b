import { getItems, queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import type { Feedback } from './feedback.ts';
import type { FeedbackList } from './request.ts';

/** A job of 100 fields and their rows has no more that a person corrects. */
const maxListed = 1_000;

/** Lists the ratings of a session or a job in the order of their making. One of this second may be missing. */
export async function sessionFeedback(
  { keyId }: Caller,
  session_id: string,
): Promise<FeedbackList> {
  const keys: Pick<Feedback, 'key_id' | 'entry'>[] = [];
  const found = queryItems<Pick<Feedback, 'key_id' | 'entry'>>({
    TableName: setting('FEEDBACK_TABLE'),
    IndexName: 'sessions',
    KeyConditionExpression: 'key_id = :key AND session_id = :session',
    ExpressionAttributeValues: { ':key': keyId, ':session': session_id },
  });
  for await (const { key_id, entry } of found) {
    keys.push({ key_id, entry });
    if (keys.length === maxListed) break;
  }
  const ratings = await Array.fromAsync(getItems<Feedback>(setting('FEEDBACK_TABLE'), keys));
  ratings.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { feedback: ratings.map(shown) };
}

const shown = (feedback: Feedback): FeedbackList['feedback'][number] => {
  const { id, rating, model, comment, created_at, updated_at, session_id } = feedback;
  const { message_id = null, correction = '' } = feedback;
  return { id, session_id, message_id, rating, model, comment, correction, created_at, updated_at };
};
