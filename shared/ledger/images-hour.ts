import { getItem } from '../aws/dynamodb.ts';
import { addTo, expressUpdate } from '../aws/express-update.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';
import { measure } from '../metrics.ts';
import { dueIn } from './account/audit-lane.ts';
import { ImagesPerHourError } from './terms/limit-errors.ts';

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
  const isTaken = await update(keyId, (value, name) => {
    const ofJob = `taken.${name(jobId)}`;
    return {
      when: [`${name('hour')} = ${value(hour)}`, `used < ${value(imagesPerHour)}`],
      set: [`used = used + ${value(1)}`, addTo(ofJob, 1, value)],
    };
  });
  if (isTaken) return hour;
  const window = await findWindow(keyId);
  if (window?.hour === hour && window.used >= imagesPerHour) return undefined;
  // Another machine's clock is ahead, and has begun the next hour: the image is taken from that one.
  if (window && window.hour > hour) return takeImage(keyId, jobId, imagesPerHour, window.hour);
  if (window?.hour !== hour) await beginHour(keyId, hour);
  return takeImage(keyId, jobId, imagesPerHour);
}

/** Takes images from a key's hour for one job. */
export type ImageTaker = ReturnType<typeof imageTaker>;

/** Returns a taker of images for a job; it uses `spare` first, images that an earlier run took and did not read. */
export const imageTaker = (
  keyId: string,
  jobId: string,
  imagesPerHour: number,
  spare: { hour: string; count: number },
) => ({
  /** Takes an image; returns its hour. Throws `ImagesPerHourError`, or 403 if the key may have no images read. */
  async take(): Promise<string> {
    const now = Date.now();
    if (spare.count > 0 && spare.hour === hourOf(now)) {
      spare.count -= 1;
      return spare.hour;
    }
    const hour = await takeImage(keyId, jobId, imagesPerHour);
    if (hour) return hour;
    if (imagesPerHour === 0) {
      throw new ServiceError(403, 'ocr_not_allowed', 'This API key may not have images read.');
    }
    measure({ QuotaStops: 1 });
    throw new ImagesPerHourError(imagesPerHour, hourEndMs(now));
  },

  giveBack: (hour: string) => giveBackImages(keyId, jobId, hour, 1),
});

/** Gives back images of this hour that a job did not read. A job without any is forgotten, as an item holds 400 KB. */
export async function giveBackImages(
  keyId: string,
  jobId: string,
  hour: string,
  count: number,
): Promise<void> {
  const given = await update(keyId, (value, name) => {
    const ofJob = `taken.${name(jobId)}`;
    return {
      when: [`${name('hour')} = ${value(hour)}`, `${ofJob} >= ${value(count)}`],
      set: [`used = used - ${value(count)}`, `${ofJob} = ${ofJob} - ${value(count)}`],
    };
  });
  if (given?.taken[jobId] !== 0) return;
  await update(keyId, (value, name) => ({
    when: [`${name('hour')} = ${value(hour)}`, `taken.${name(jobId)} = ${value(0)}`],
    remove: [`taken.${name(jobId)}`],
  }));
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
  await update(keyId, (value, name) => ({
    when: [`${name('hour')} = ${value(window.hour)}`, `taken.${name(jobId)} = ${value(taken)}`],
    set: [`used = used - ${value(taken - readIn(window.hour))}`],
    remove: [`taken.${name(jobId)}`],
  }));
}

/** Empties every window whose hour is over. Returns how many. */
export async function resetOcrWindows(): Promise<number> {
  const now = Date.now();
  let count = 0;
  for await (const { items: ended } of dueIn(windowLane, 25)) {
    await Promise.all(ended.map(({ key_id }) => emptyWindow(key_id, now)));
    count += ended.length;
  }
  return count;
}

/** The partition of the index `audits` that lists the windows to empty. */
const windowLane = 'images';

async function beginHour(keyId: string, hour: string): Promise<void> {
  const endsAt = new Date(hourEndMs(Date.parse(`${hour}:00Z`))).toISOString();
  await update(keyId, (value, name) => ({
    when: [`attribute_not_exists(${name('hour')}) OR ${name('hour')} < ${value(hour)}`],
    set: [
      `${name('hour')} = ${value(hour)}`,
      `used = ${value(0)}`,
      `taken = ${value({})}`,
      `audit_lane = ${value(windowLane)}`,
      `audit_at = ${value(endsAt)}`,
    ],
  }));
}

async function emptyWindow(keyId: string, now: number): Promise<void> {
  await update(keyId, (value, name) => ({
    when: [`${name('hour')} < ${value(hourOf(now))}`],
    // The hour stays, so that the next image begins a new one, which is listed again.
    set: [`used = ${value(0)}`, `taken = ${value({})}`],
    remove: ['audit_at'],
  }));
}

const findWindow = (keyId: string) => getItem<OcrWindow>(setting('LEDGER_TABLE'), windowKey(keyId));

/** Changes a key's window. Returns what it set; undefined if the condition doesn't hold. */
async function update(
  keyId: string,
  write: Parameters<typeof expressUpdate>[2],
): Promise<Pick<OcrWindow, 'taken'> | undefined> {
  const change = expressUpdate(setting('LEDGER_TABLE'), windowKey(keyId), write);
  const changed = await updateItem({ ...change, ReturnValues: 'UPDATED_NEW' });
  return changed?.Attributes as Pick<OcrWindow, 'taken'> | undefined;
}
