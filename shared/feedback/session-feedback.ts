import { getItems, queryItems } from '../aws/dynamodb.ts';
import { deleteItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { contentNames, type Feedback } from './feedback.ts';
import type { FeedbackList } from './request.ts';

/** A job of 100 fields and their rows has no more that a person corrects. */
const maxListed = 1_000;

/** Lists the ratings of a session or a job in the order of their making. One of this second may be missing. */
export async function sessionFeedback(
  { keyId }: Caller,
  session_id: string,
): Promise<FeedbackList> {
  const keys: Pick<Feedback, 'key_id' | 'entry'>[] = [];
  for await (const { key_id, entry } of ratingsOf(keyId, session_id)) {
    keys.push({ key_id, entry });
    if (keys.length === maxListed) break;
  }
  const ratings = await Array.fromAsync(getItems<Feedback>(setting('FEEDBACK_TABLE'), keys));
  ratings.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { feedback: ratings.map(shown) };
}

/** Returns a rating as its key reads it again. One from before there were corrections has none. */
export const shown = (feedback: Feedback): FeedbackList['feedback'][number] => {
  const { id, rating, model, comment, created_at, updated_at, session_id } = feedback;
  const { message_id = null, correction = '' } = feedback;
  return { id, session_id, message_id, rating, model, comment, correction, created_at, updated_at };
};

const ratingsOf = (keyId: string, sessionId: string) =>
  queryItems<Pick<Feedback, 'key_id' | 'entry'>>({
    TableName: setting('FEEDBACK_TABLE'),
    IndexName: 'sessions',
    KeyConditionExpression: 'key_id = :key AND session_id = :session',
    ExpressionAttributeValues: { ':key': keyId, ':session': sessionId },
  });

/**
 * Erases all ratings of a session, or of a job, with their texts: a text before the rating that finds it. Returns how
 * many there were.
 */
export async function eraseFeedback({ keyId }: Caller, sessionId: string): Promise<number> {
  let erased = 0;
  for await (const { entry } of ratingsOf(keyId, sessionId)) {
    const message = entry.slice(0, -'rating'.length);
    await Promise.all(contentNames.map((name) => deleteEntry(keyId, `${message}${name}`)));
    await deleteEntry(keyId, entry);
    erased += 1;
  }
  return erased;
}

const deleteEntry = (key_id: string, entry: string) =>
  deleteItem({ TableName: setting('FEEDBACK_TABLE'), Key: { key_id, entry } });
