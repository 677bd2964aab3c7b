import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { timeouts } from '../aws/timeouts.ts';
import { setting } from '../config.ts';
import { log } from '../log.ts';
import type { Event } from './event.ts';
import { notePublished } from './event-writes.ts';

const eventBridge = new EventBridgeClient(timeouts({ responseMs: 5_000 }));

/** The most entries of one call. @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const entriesPerCall = 10;

/** Puts events on the account's default event bus. Returns those that it refused. */
export async function publish(events: Event[]): Promise<Event[]> {
  const refused: Event[] = [];
  for (let start = 0; start < events.length; start += entriesPerCall) {
    refused.push(...(await publishSome(events.slice(start, start + entriesPerCall))));
  }
  return refused;
}

async function publishSome(events: Event[]): Promise<Event[]> {
  const { Entries = [] } = await eventBridge.send(
    new PutEventsCommand({
      Entries: events.map(({ type, body, created_at }) => ({
        Source: setting('EVENT_SOURCE'),
        DetailType: type,
        Detail: body,
        Time: new Date(created_at),
      })),
    }),
  );
  const isRefused = (index: number) => Entries[index]?.ErrorCode !== undefined;
  for (const [index, { entry }] of events.entries()) {
    if (isRefused(index))
      log('warn', 'event refused', { event: entry, error: Entries[index]?.ErrorCode });
  }
  await Promise.all(events.filter((_, index) => !isRefused(index)).map(notePublished));
  return events.filter((_, index) => isRefused(index));
}
