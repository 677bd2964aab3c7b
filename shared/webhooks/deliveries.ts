import { setTimeout as pause } from 'node:timers/promises';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, getItem } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { ConflictError, NotFoundError } from '../http/errors.ts';
import { type Event, newEvent, newEventId, noteEvent, wantedGraceMs } from './event.ts';
import { reopenEvent } from './event-writes.ts';
import { findWebhook, type Webhook } from './webhook.ts';

/** An event as its operator sees it. */
export type Delivery = Pick<Event, 'type' | 'status' | 'created_at' | 'tries'> & {
  id: string;
  last_try_at: string | null;
  last_error: string | null;
  /** When it is tried again; null if it isn't. */
  next_try_at: string | null;
};

/** Makes the record of an event. */
export function deliveryOf(event: Event): Delivery {
  const { entry, type, status, created_at, tries } = event;
  return {
    id: entry,
    type,
    status,
    created_at,
    tries,
    last_try_at: event.last_try_at ?? null,
    last_error: event.last_error ?? null,
    next_try_at: (status === 'pending' && event.due_at) || null,
  };
}

/** Lists the latest events of an account, the newest first. */
export async function listDeliveries(accountId: string, limit: number): Promise<Delivery[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('WEBHOOKS_TABLE'),
      KeyConditionExpression: 'key_id = :account AND begins_with(entry, :event)',
      ExpressionAttributeValues: { ':account': accountId, ':event': 'evt_' },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  return (Items as Event[]).map(deliveryOf);
}

/** Reads an event of an account as it is now; undefined if there is none. */
const findEvent = (accountId: string, id: string) =>
  getItem<Event>(setting('WEBHOOKS_TABLE'), { key_id: accountId, entry: id });

/** An event that is to be sent, as it was before. */
export type Asked = Pick<Event, 'key_id' | 'entry' | 'tries'>;

/** Sends an event once more, as the message that it was. Throws `NotFoundError`, or `ConflictError` without a webhook. */
export async function redeliver(accountId: string, id: string): Promise<Asked> {
  await requireWebhook(accountId);
  const event = id.startsWith('evt_') ? await findEvent(accountId, id) : undefined;
  if (!event || !(await reopenEvent(event, wantedGraceMs))) {
    throw new NotFoundError(`${accountId} has no event ${id}.`);
  }
  return event;
}

/** Sends an account's webhook an event that says nothing. Throws `ConflictError` if it has none. */
export async function sendTest(accountId: string): Promise<Asked> {
  await requireWebhook(accountId);
  const event = newEvent(accountId, newEventId(), 'webhook.test', { account_id: accountId });
  await noteEvent({ ...event, asked: true });
  return event;
}

/** Two rounds of a delivery, and a moment for the stream. */
const patienceMs = 25_000;

/** Waits until an event was tried, and returns what came of it; as it is if that takes too long. */
export async function whenTried({ key_id, entry, tries }: Asked): Promise<Delivery> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const event = await findEvent(key_id, entry);
    if (!event) throw new NotFoundError(`${key_id} has no event ${entry}.`);
    const isTried = event.tries > tries || event.status !== 'pending';
    if (isTried || Date.now() > until) return deliveryOf(event);
    await pause(300);
  }
}

async function requireWebhook(accountId: string): Promise<Webhook> {
  const webhook = await findWebhook(accountId);
  if (!webhook) throw new ConflictError(`${accountId} has no webhook.`);
  if (!webhook.disabled_at) return webhook;
  throw new ConflictError(
    `The webhook of ${accountId} is disabled: set it again with --webhook ${webhook.url}.`,
  );
}
