import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { getItem, queryPages } from '../aws/dynamodb.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';

const hourMs = 3_600_000;

/**
 * The images that a key used in a clock hour; an earlier hour counts as empty. `taken` counts them by open job, so
 * that those which a lost worker did not read are found.
 */
interface OcrWindow {
  key_id: string;
  entry: 'images';
  hour: string;
  used: number;
  taken: Record<string, number>;
}

const windowKey = (keyId: string) => ({ key_id: keyId, entry: 'images' });

/** The clock hour of an instant, in UTC, such as `2026-11-20T15`. */
export const hourOf = (ms: number) => new Date(ms).toISOString().slice(0, 13);

/** When the clock hour of an instant ends, in ms since 1970. */
export const hourEndMs = (ms: number) => (Math.floor(ms / hourMs) + 1) * hourMs;

/** Reads how many images a key has used in this hour. */
export async function imagesUsed(keyId: string): Promise<number> {
  const window = await findWindow(keyId);
  return window?.hour === hourOf(Date.now()) ? window.used : 0;
}

/** Reads how many images a job has taken in this hour, whether it has read them or not. */
export async function imagesTaken(keyId: string, jobId: string): Promise<number> {
  const window = await findWindow(keyId);
  return window?.hour === hourOf(Date.now()) ? (window.taken[jobId] ?? 0) : 0;
}

/** Takes one image of a key's hour for a job. Returns the hour that it is taken from; undefined if none is left. */
export async function takeImage(
  keyId: string,
  jobId: string,
  imagesPerHour: number,
  hour = hourOf(Date.now()),
): Promise<string | undefined> {
  const taken = await update(keyId, {
    ConditionExpression: '#hour = :hour AND used < :limit',
    UpdateExpression:
      'SET used = used + :one, taken.#job = if_not_exists(taken.#job, :zero) + :one',
    ExpressionAttributeNames: { '#hour': 'hour', '#job': jobId },
    ExpressionAttributeValues: { ':hour': hour, ':limit': imagesPerHour, ':one': 1, ':zero': 0 },
  });
  if (taken) return hour;
  const window = await findWindow(keyId);
  if (window?.hour === hour && window.used >= imagesPerHour) return undefined;
  // Another machine's clock is ahead, and has begun the next hour: the image is taken from that one.
  if (window && window.hour > hour) return takeImage(keyId, jobId, imagesPerHour, window.hour);
  if (window?.hour !== hour) await beginHour(keyId, hour);
  return takeImage(keyId, jobId, imagesPerHour);
}

/** Gives back images of this hour that a job did not read. A job without any is forgotten, as an item holds 400 KB. */
export async function giveBackImages(
  keyId: string,
  jobId: string,
  hour: string,
  count: number,
): Promise<void> {
  const given = await update(keyId, {
    ConditionExpression: '#hour = :hour AND taken.#job >= :count',
    UpdateExpression: 'SET used = used - :count, taken.#job = taken.#job - :count',
    ExpressionAttributeNames: { '#hour': 'hour', '#job': jobId },
    ExpressionAttributeValues: { ':hour': hour, ':count': count },
    ReturnValues: 'UPDATED_NEW',
  });
  const left = (given?.Attributes as Pick<OcrWindow, 'taken'> | undefined)?.taken[jobId];
  if (left !== 0) return;
  await update(keyId, {
    ConditionExpression: '#hour = :hour AND taken.#job = :none',
    UpdateExpression: 'REMOVE taken.#job',
    ExpressionAttributeNames: { '#hour': 'hour', '#job': jobId },
    ExpressionAttributeValues: { ':hour': hour, ':none': 0 },
  });
}

/** Gives back all images of the hour that a job took and did not read. `readIn` tells how many it read. */
export async function returnUnreadImages(
  keyId: string,
  jobId: string,
  readIn: (hour: string) => number,
): Promise<void> {
  const window = await findWindow(keyId);
  const taken = window?.taken[jobId];
  if (!window || taken === undefined) return;
  await update(keyId, {
    ConditionExpression: '#hour = :hour AND taken.#job = :taken',
    UpdateExpression: 'SET used = used - :unread REMOVE taken.#job',
    ExpressionAttributeNames: { '#hour': 'hour', '#job': jobId },
    ExpressionAttributeValues: {
      ':hour': window.hour,
      ':taken': taken,
      ':unread': taken - readIn(window.hour),
    },
  });
}

/** Empties every window whose hour is over. Returns how many. */
export async function resetOcrWindows(): Promise<number> {
  const now = Date.now();
  let count = 0;
  const ended = queryPages<Pick<OcrWindow, 'key_id'>>({
    TableName: setting('LEDGER_TABLE'),
    IndexName: 'audits',
    KeyConditionExpression: 'audit_lane = :lane AND audit_at <= :now',
    ExpressionAttributeValues: { ':lane': windowLane, ':now': new Date(now).toISOString() },
    Limit: 25,
  });
  for await (const { items } of ended) {
    await Promise.all(items.map(({ key_id }) => emptyWindow(key_id, now)));
    count += items.length;
  }
  return count;
}

/** The partition of the index `audits` that lists the windows to empty. */
const windowLane = 'images';

async function beginHour(keyId: string, hour: string): Promise<void> {
  await update(keyId, {
    ConditionExpression: 'attribute_not_exists(#hour) OR #hour < :hour',
    UpdateExpression:
      'SET #hour = :hour, used = :zero, taken = :none, audit_lane = :lane, audit_at = :end',
    ExpressionAttributeNames: { '#hour': 'hour' },
    ExpressionAttributeValues: {
      ':hour': hour,
      ':zero': 0,
      ':none': {},
      ':lane': windowLane,
      ':end': new Date(hourEndMs(Date.parse(`${hour}:00Z`))).toISOString(),
    },
  });
}

async function emptyWindow(keyId: string, now: number): Promise<void> {
  await update(keyId, {
    ConditionExpression: '#hour < :hour',
    // The hour stays, so that the next image begins a new one, which is listed again.
    UpdateExpression: 'SET used = :zero, taken = :none REMOVE audit_at',
    ExpressionAttributeNames: { '#hour': 'hour' },
    ExpressionAttributeValues: { ':hour': hourOf(now), ':zero': 0, ':none': {} },
  });
}

const findWindow = (keyId: string) => getItem<OcrWindow>(setting('LEDGER_TABLE'), windowKey(keyId));

/** Changes a key's window. Returns undefined if the condition doesn't hold. */
const update = (keyId: string, change: Omit<UpdateCommandInput, 'TableName' | 'Key'>) =>
  updateItem({ TableName: setting('LEDGER_TABLE'), Key: windowKey(keyId), ...change });
