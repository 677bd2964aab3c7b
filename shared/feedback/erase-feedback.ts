import { queryItems } from '../aws/dynamodb.ts';
import { deleteItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { contentNames, type Feedback } from './feedback.ts';

/**
 * Erases all ratings of a session, or of a job, with their texts: a text before the rating that finds it. Returns how
 * many there were.
 */
export async function eraseFeedback({ keyId }: Caller, sessionId: string): Promise<number> {
  let erased = 0;
  const ratings = queryItems<Pick<Feedback, 'entry'>>({
    TableName: setting('FEEDBACK_TABLE'),
    IndexName: 'sessions',
    KeyConditionExpression: 'key_id = :key AND session_id = :session',
    ExpressionAttributeValues: { ':key': keyId, ':session': sessionId },
  });
  for await (const { entry } of ratings) {
    const message = entry.slice(0, -'rating'.length);
    await Promise.all(contentNames.map((name) => deleteEntry(keyId, `${message}${name}`)));
    await deleteEntry(keyId, entry);
    erased += 1;
  }
  return erased;
}

const deleteEntry = (key_id: string, entry: string) =>
  deleteItem({ TableName: setting('FEEDBACK_TABLE'), Key: { key_id, entry } });
