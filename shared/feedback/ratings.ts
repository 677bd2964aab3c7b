import { queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type Days, eachDay } from '../usage/day.ts';
import { contentNames, type Feedback } from './feedback.ts';

/** Lists all keys' ratings that were first given in some days, the oldest first, without the contents that they rate. */
export async function* listFeedback(days: Days): AsyncGenerator<Feedback> {
  for (const day of eachDay(days)) {
    yield* queryItems<Feedback>({
      TableName: setting('FEEDBACK_TABLE'),
      IndexName: 'days',
      KeyConditionExpression: '#day = :day',
      ExpressionAttributeNames: { '#day': 'day' },
      ExpressionAttributeValues: { ':day': day },
    });
  }
}

/** Exports the same ratings with their contents, each as one line of JSON. */
export async function* exportFeedback(days: Days): AsyncGenerator<string> {
  for await (const feedback of listFeedback(days)) {
    const { id, key_id, session_id, rating, model, comment, created_at, updated_at } = feedback;
    // Ratings from before corrections existed have none.
    const { message_id = null, correction = '' } = feedback;
    const contents = await contentsOf(feedback);
    yield JSON.stringify({
      id,
      key_id,
      session_id,
      message_id,
      rating,
      model,
      comment,
      correction,
      ...contents,
      created_at,
      updated_at,
    });
  }
}

async function contentsOf({ key_id, entry }: Feedback): Promise<Record<string, string>> {
  const message = entry.replace(/#rating$/, '');
  const contents = new Map<string, string>();
  const items = queryItems<{ entry: string; content: string }>({
    TableName: setting('FEEDBACK_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(entry, :message)',
    ExpressionAttributeValues: { ':key': key_id, ':message': `${message}#` },
  });
  for await (const item of items) contents.set(item.entry, item.content);
  return Object.fromEntries(
    contentNames.map((name) => [name, contents.get(`${message}#${name}`) ?? '']),
  );
}
