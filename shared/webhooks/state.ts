import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import type { Event } from './event.ts';

/** What names an event: its account, and its own id. */
export type EventKey = Pick<Event, 'key_id' | 'entry'>;

/** A try is over by then, as its function's time is. */
const tryMs = 90_000;

/** Takes a wanted event, so that nobody else sends it; undefined if it was taken. The sweep wants it again after a death. */
export const claim = (key: EventKey) =>
  change(
    key,
    'SET due_at = :due REMOVE wanted',
    { ':due': instantIn(tryMs), ':true': true },
    'wanted = :true',
  );

/** Wants an event again that is due. Does nothing if that was done at the same moment. */
export const wantAgain = (key: EventKey, dueAt: string, graceMs: number) =>
  change(
    key,
    'SET wanted = :true, due_at = :due',
    { ':true': true, ':due': instantIn(graceMs), ':old': dueAt },
    'due_at = :old',
  );

/** Lets a claimed event wait, without a try. */
export const putOff = (key: EventKey, waitMs: number) =>
  change(key, 'SET due_at = :due', { ':due': instantIn(waitMs) });

/** What a try leaves: the end of the event, or when it is tried again. */
export interface Tried {
  /** When the try began. */
  at: string;
  error?: string;
  /** Absent if it is tried again. */
  status?: 'delivered' | 'failed';
  waitMs?: number;
}

/** Writes down a try of a claimed event. */
export function noteTry(key: EventKey, { at, error, status, waitMs = 0 }: Tried) {
  return change(
    key,
    [
      'SET tries = tries + :one, last_try_at = :at, first_try_at = if_not_exists(first_try_at, :at)',
      error ? ', last_error = :error' : '',
      status ? ', #status = :status' : ', due_at = :due',
      ' REMOVE asked',
      error ? '' : ', last_error',
      status ? ', due_lane, due_at' : '',
    ].join(''),
    {
      ':one': 1,
      ':at': at,
      ...(error && { ':error': error }),
      ...(status ? { ':status': status } : { ':due': instantIn(waitMs) }),
    },
  );
}

/** Ends a claimed event that can't be sent, without a try. */
export const endUntried = (key: EventKey, status: 'failed' | 'published', error?: string) =>
  change(
    key,
    `SET #status = :status${error ? ', last_error = :error' : ''} REMOVE due_lane, due_at, asked`,
    { ':status': status, ...(error && { ':error': error }) },
  );

/** Notes that the event bus has an event. */
export const notePublished = (key: EventKey) =>
  change(key, 'SET published = :true', { ':true': true });

/** Wants an event once more that has ended, or is pending, with a new day of tries. */
export const wantOnceMore = ({ key_id, entry }: EventKey, graceMs: number) =>
  write(
    { key_id, entry },
    'SET #status = :pending, wanted = :true, asked = :true, due_lane = :due_lane, due_at = :due REMOVE first_try_at, last_error',
    { ':pending': 'pending', ':true': true, ':due_lane': 'due', ':due': instantIn(graceMs) },
    'attribute_exists(entry)',
  );

/** Changes a pending event if a condition holds. */
const change = (
  key: EventKey,
  update: string,
  values: Record<string, string | number | boolean>,
  when = 'attribute_exists(entry)',
) =>
  write(key, update, { ...values, ':is_pending': 'pending' }, `#status = :is_pending AND ${when}`);

/** Returns the event as it then is; undefined if the condition didn't hold. */
async function write(
  { key_id, entry }: EventKey,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, string | number | boolean>,
  ConditionExpression: string,
): Promise<Event | undefined> {
  const written = await updateItem({
    TableName: setting('WEBHOOKS_TABLE'),
    Key: { key_id, entry },
    ConditionExpression,
    UpdateExpression,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues,
    ReturnValues: 'ALL_NEW',
  });
  return written?.Attributes as Event | undefined;
}

const instantIn = (ms: number) => new Date(Date.now() + ms).toISOString();
