import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type Days, eachDay } from '../usage/day.ts';
import { contentNames, type Feedback } from './feedback.ts';

/** All keys' ratings that were first given in some days, the oldest first, without what they rate. */
export async function* listFeedback(days: Days): AsyncGenerator<Feedback> {
  for (const day of eachDay(days)) {
    for await (const { Items = [] } of paginateQuery(
      { client: dynamodb },
      {
        TableName: setting('FEEDBACK_TABLE'),
        IndexName: 'days',
        KeyConditionExpression: '#day = :day',
        ExpressionAttributeNames: { '#day': 'day' },
        ExpressionAttributeValues: { ':day': day },
      },
    )) {
      yield* Items as Feedback[];
    }
  }
}

/** The same with what was rated, each as one line of JSON. */
export async function* exportFeedback(days: Days): AsyncGenerator<string> {
  for await (const feedback of listFeedback(days)) {
    const { id, key_id, session_id, rating, model, comment, created_at, updated_at } = feedback;
    const contents = await contentsOf(feedback);
    yield JSON.stringify({
      ...{ id, key_id, session_id, rating, model, comment },
      ...contents,
      ...{ created_at, updated_at },
    });
  }
}

async function contentsOf({ key_id, entry }: Feedback): Promise<Record<string, string>> {
  const message = entry.replace(/#rating$/, '');
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('FEEDBACK_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :message)',
      ExpressionAttributeValues: { ':key': key_id, ':message': `${message}#` },
    }),
  );
  const contents = new Map(Items.map((item) => [item['entry'], item['content']]));
  return Object.fromEntries(
    contentNames.map((name) => [name, contents.get(`${message}#${name}`) ?? '']),
  );
}
