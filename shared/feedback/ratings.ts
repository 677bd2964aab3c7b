import { queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type Days, eachDay } from '../usage/day.ts';
import { contentNames, type Feedback } from './feedback.ts';
import { shown } from './session-feedback.ts';

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
    const contents = await contentsOf(feedback);
    yield JSON.stringify({ key_id: feedback.key_id, ...shown(feedback), ...contents });
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
