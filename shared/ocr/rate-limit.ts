import { setTimeout as wait } from 'node:timers/promises';
import { type Clauses, expressUpdate, type PlaceValue } from '../aws/express-update.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';

/** The item of the rate limit: its `next_at` is when the next page may be read, in epoch ms. */
const rateLimitKey = { key_id: 'deployment', entry: 'textract_pace' };

/**
 * Waits for this call's turn in the deployment's Textract pages per second: one item holds the next turn. Throws
 * `AbortError`.
 */
export async function waitForRateLimit(signal: AbortSignal): Promise<void> {
  const intervalMs = 1000 / setting('TEXTRACT_PAGES_PER_SECOND');
  const now = Date.now();
  const slotMs = (await takeNextSlot(now, intervalMs)) ?? (await takeSlotNow(now, intervalMs));
  if (slotMs === undefined) return waitForRateLimit(signal);
  const waitMs = slotMs - Date.now();
  if (waitMs > 0) await wait(waitMs, undefined, { signal });
}

/** Takes the slot after those that are taken. Undefined if the last of them is past. */
async function takeNextSlot(now: number, intervalMs: number): Promise<number | undefined> {
  const moved = await move((value) => ({
    when: [`next_at >= ${value(now)}`],
    set: [`next_at = next_at + ${value(intervalMs)}`],
  }));
  return moved && moved - intervalMs;
}

/** Takes the slot that begins now. Undefined if another call has taken a slot meanwhile. */
async function takeSlotNow(now: number, intervalMs: number): Promise<number | undefined> {
  const moved = await move((value) => ({
    when: [`attribute_not_exists(next_at) OR next_at < ${value(now)}`],
    set: [`next_at = ${value(now + intervalMs)}`],
  }));
  return moved && now;
}

/** Returns the new `next_at`; undefined if the condition doesn't hold. */
async function move(change: (value: PlaceValue) => Clauses): Promise<number | undefined> {
  const update = expressUpdate(setting('LEDGER_TABLE'), rateLimitKey, change);
  const updated = await updateItem({ ...update, ReturnValues: 'UPDATED_NEW' });
  return updated?.Attributes?.['next_at'] as number | undefined;
}
