import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { PostOutcome, PostRequest } from '../../../shared/pages/post.ts';
import { deliverEvents } from '../../../shared/webhooks/deliver.ts';
import type { Event } from '../../../shared/webhooks/event.ts';
import type { EventBody } from '../../../shared/webhooks/event-body.ts';
import { setWebhook } from '../../../shared/webhooks/set-webhook.ts';
import { followStream } from './stream-tail.ts';

/** Makes a key of nothing but its id and no change so far, and gives it a webhook. */
export async function hookKey(id: string, url: string): Promise<void> {
  await dynamodb.send(
    new PutCommand({ TableName: setting('KEYS_TABLE'), Item: { id, changes: 0 } }),
  );
  await setWebhook(id, url);
}

/** The records of a table's stream, from its beginning. */
export const recordsOf = (table: 'LEDGER_TABLE' | 'WEBHOOKS_TABLE') => followStream(table)();

/** The events of an account, the oldest first. */
export async function eventsOf(accountId: string): Promise<Event[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('WEBHOOKS_TABLE'),
      KeyConditionExpression: 'key_id = :account AND begins_with(entry, :event)',
      ExpressionAttributeValues: { ':account': accountId, ':event': 'evt_' },
      ConsistentRead: true,
    }),
  );
  return Items as Event[];
}

/** What an event is sent as. */
export const bodyOf = ({ body }: Event) => JSON.parse(body) as EventBody;

/** A receiver in this process: what it was sent, and what it returns. */
export function receiver(answer: (request: PostRequest) => PostOutcome = () => ({ status: 200 })) {
  const requests: PostRequest[] = [];
  return {
    requests,
    answer,
    /** The ids of the events that it was sent, in order. */
    ids: () =>
      requests.flatMap(({ messages }) => messages.map((each) => each.headers['webhook-id'])),
    async post(request: PostRequest): Promise<PostOutcome[]> {
      requests.push(request);
      return request.messages.map(() => this.answer(request));
    },
  };
}

/** Gives the function that delivers all that the webhooks table's stream has told so far, again. */
export async function deliverAll(to: ReturnType<typeof receiver>): Promise<void> {
  await deliverEvents({ Records: await recordsOf('WEBHOOKS_TABLE') }, (request) =>
    to.post(request),
  );
}
