import { instant, type Job } from '../../engine/item/job.ts';

/** How long a batch may take, from its creation to its last line. */
const windowMs = 24 * 60 * 60_000;

/** The completion window of a batch that is made now. */
export const newWindow = () => ({ window_ends_at: instant(Date.now() + windowMs) });

const code = 'batch_expired';

/** Why a batch is stopped whose completion window has ended. */
export const windowOver = `${code}: The completion window ended before each line was asked.`;

/** Whether a batch was stopped because its completion window ended. */
export const isWindowOver = (stopReason: string) => stopReason.startsWith(`${code}:`);

type Windowed = Pick<Job, 'window_ends_at'>;

/** Whether a job's completion window has ended; jobs that are no batches have none. */
export const hasExpired = ({ window_ends_at }: Windowed) =>
  window_ends_at !== undefined && Date.parse(window_ends_at) <= Date.now();

/** The time until which a job waits, in epoch ms: not beyond its completion window, at whose end it stops. */
export const withinWindow = ({ window_ends_at }: Windowed, untilMs: number) =>
  window_ends_at === undefined ? untilMs : Math.min(untilMs, Date.parse(window_ends_at));
