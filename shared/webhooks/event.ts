import { v7 as uuidv7 } from 'uuid';
import { newItem, putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { uuidNamed, uuidPrefix } from '../uuid-time.ts';
import type { EventBody, EventData, EventType } from './event-body.ts';
import { findWebhook, type Webhook } from './webhook.ts';

/** An event of an account, and its outcome. The index `due` lists the pending ones. Instants are ISO 8601 strings. */
export interface Event {
  /** The account that it is about. */
  key_id: string;
  /** The event's id: `evt_` and a UUIDv7 of its time. */
  entry: string;
  type: EventType;
  /** The JSON that is sent, the same at each try. */
  body: string;
  /** `published` are events of accounts without a webhook, sent to the event bus alone. */
  status: 'pending' | 'delivered' | 'failed' | 'published';
  created_at: string;
  tries: number;
  first_try_at?: string;
  last_try_at?: string;
  /** Why the last try failed: `http_503`, `timeout`, `unreachable`, `forbidden_address`. */
  last_error?: string;
  /** Whether the event bus has it. */
  published?: boolean;
  /** Whether it is to be sent now. The table's stream tells of it. */
  wanted?: boolean;
  /** Whether an operator asked for it, so that it is tried even while others fail. */
  asked?: boolean;
  due_lane?: 'due';
  /** When the sweep wants it again, unless its end came before. */
  due_at?: string;
  /** When the table forgets it, in seconds since 1970. */
  expires_at: number;
}

/** How long an event can be sent again. */
const retentionMs = 30 * 86_400_000;
/** How long after an event is wanted the sweep looks whether anybody came for it. */
export const wantedGraceMs = 2 * 60_000;

/** Whether the operator has set up that all events go to the event bus too. */
export const publishesEvents = () => setting('EVENT_SOURCE') !== undefined;

/** Whether anybody is to be told of an account's events; undefined if nobody is. */
export async function findListener(accountId: string): Promise<{ webhook?: Webhook } | undefined> {
  const webhook = await findWebhook(accountId);
  if (webhook && !webhook.disabled_at) return { webhook };
  return publishesEvents() ? {} : undefined;
}

/** The id of an event that happens once: the same whenever it is made. */
export const eventIdOf = (atMs: number, ...what: string[]): string =>
  `evt_${uuidNamed(uuidPrefix(atMs), what.join('\n'))}`;

/** An id for an event that something else keeps from happening twice. */
export const newEventId = () => `evt_${uuidv7()}`;

/** Makes an event that is wanted now. */
export function newEvent<Type extends EventType>(
  accountId: string,
  id: string,
  type: Type,
  data: EventData[Type],
  atMs = Date.now(),
): Event {
  const body: EventBody = { id, object: 'event', type, created_at: Math.floor(atMs / 1000), data };
  return {
    key_id: accountId,
    entry: id,
    type,
    body: JSON.stringify(body),
    status: 'pending',
    created_at: new Date(atMs).toISOString(),
    tries: 0,
    wanted: true,
    due_lane: 'due',
    due_at: new Date(Date.now() + wantedGraceMs).toISOString(),
    expires_at: Math.floor((Date.now() + retentionMs) / 1000),
  };
}

/** The write of an event, which is made once. */
export const eventPut = (event: Event) => newItem(setting('WEBHOOKS_TABLE'), event);

/** Notes an event. Does nothing if it is noted already. */
export async function noteEvent(event: Event): Promise<void> {
  await putItem(eventPut(event));
}
