import type { Job } from './job.ts';

type Windowed = Pick<Job, 'window_ends_at'>;

/** Whether a job's window has ended; most jobs have none. */
export const hasExpired = ({ window_ends_at }: Windowed) =>
  window_ends_at !== undefined && Date.parse(window_ends_at) <= Date.now();

/** The time until which a job waits, in epoch ms: not beyond its window, at whose end it stops. */
export const withinWindow = ({ window_ends_at }: Windowed, untilMs: number) =>
  window_ends_at === undefined ? untilMs : Math.min(untilMs, Date.parse(window_ends_at));
