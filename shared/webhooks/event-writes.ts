import { expressUpdate } from '../aws/express-update.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import type { Event } from './event.ts';

/** What names an event: its account, and its own id. */
export type EventKey = Pick<Event, 'key_id' | 'entry'>;

/** A try is over by then, as its function's time is. */
const tryMs = 90_000;

/** Claims a wanted event, so that no other function sends it; undefined if one has. The sweep frees it after a death. */
export const claim = (key: EventKey) =>
  change(key, (value) => ({
    when: [`wanted = ${value(true)}`],
    set: [`due_at = ${value(instantIn(tryMs))}`],
    remove: ['wanted'],
  }));

/** Queues a due event again. Does nothing if another sweep did at the same moment. */
export const requeueDue = (key: EventKey, dueAt: string, graceMs: number) =>
  change(key, (value) => ({
    when: [`due_at = ${value(dueAt)}`],
    set: [`wanted = ${value(true)}`, `due_at = ${value(instantIn(graceMs))}`],
  }));

/** Lets a claimed event wait, without a try. */
export const putOff = (key: EventKey, waitMs: number) =>
  change(key, (value) => ({ set: [`due_at = ${value(instantIn(waitMs))}`] }));

/** The outcome of a try: the end of the event, or the wait before the next try. */
export interface TryOutcome {
  /** When the try began. */
  at: string;
  error?: string;
  /** Absent if it is tried again. */
  status?: 'delivered' | 'failed';
  waitMs?: number;
}

/** Writes down a try of a claimed event. */
export const noteTry = (key: EventKey, { at, error, status, waitMs = 0 }: TryOutcome) =>
  change(key, (value, name) => ({
    set: [
      `tries = tries + ${value(1)}`,
      `last_try_at = ${value(at)}`,
      `first_try_at = if_not_exists(first_try_at, ${value(at)})`,
      error && `last_error = ${value(error)}`,
      status ? `${name('status')} = ${value(status)}` : `due_at = ${value(instantIn(waitMs))}`,
    ],
    remove: ['asked', !error && 'last_error', ...(status ? ['due_lane', 'due_at'] : [])],
  }));

/** Ends a claimed event that can't be sent, without a try. */
export const endUntried = (key: EventKey, status: 'failed' | 'published', error?: string) =>
  change(key, (value, name) => ({
    set: [`${name('status')} = ${value(status)}`, error && `last_error = ${value(error)}`],
    remove: ['due_lane', 'due_at', 'asked'],
  }));

/** Notes that the event bus has an event. */
export const notePublished = (key: EventKey) =>
  change(key, (value) => ({ set: [`published = ${value(true)}`] }));

/** Begins an event's delivery anew, ended or pending, with a new day of tries. */
export const reopenEvent = (key: EventKey, graceMs: number) =>
  write(key, (value, name) => ({
    when: ['attribute_exists(entry)'],
    set: [
      `${name('status')} = ${value('pending')}`,
      `wanted = ${value(true)}`,
      `asked = ${value(true)}`,
      `due_lane = ${value('due')}`,
      `due_at = ${value(instantIn(graceMs))}`,
    ],
    remove: ['first_try_at', 'last_error'],
  }));

type Change = Parameters<typeof expressUpdate>[2];

/** Changes a pending event if a condition holds. */
const change = (key: EventKey, clausesOf: Change) =>
  write(key, (value, name) => {
    const { when = [], ...changes } = clausesOf(value, name);
    return { when: [`${name('status')} = ${value('pending')}`, ...when], ...changes };
  });

/** Returns the event as it then is; undefined if the condition didn't hold. */
async function write({ key_id, entry }: EventKey, change: Change): Promise<Event | undefined> {
  const update = expressUpdate(setting('WEBHOOKS_TABLE'), { key_id, entry }, change);
  const written = await updateItem({ ...update, ReturnValues: 'ALL_NEW' });
  return written?.Attributes as Event | undefined;
}

const instantIn = (ms: number) => new Date(Date.now() + ms).toISOString();
