import { queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { log } from '../log.ts';
import { type Event, wantedGraceMs } from './event.ts';
import { requeueDue } from './event-writes.ts';

/** Makes each due event pending again: its wait is over, or no sender took it. */
export async function sweepEvents(): Promise<void> {
  let count = 0;
  const pages = queryPages<Event & { due_at: string }>({
    TableName: setting('WEBHOOKS_TABLE'),
    IndexName: 'due',
    KeyConditionExpression: 'due_lane = :due AND due_at <= :now',
    ExpressionAttributeValues: { ':due': 'due', ':now': new Date().toISOString() },
    Limit: 100,
  });
  for await (const { items } of pages) {
    await Promise.all(items.map((event) => requeueDue(event, event.due_at, wantedGraceMs)));
    count += items.length;
  }
  if (count > 0) log('info', 'events swept', { events: count });
}
