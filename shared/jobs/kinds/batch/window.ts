import { instant } from '../../engine/item/job.ts';

/** How long a batch may take, from its creation to its last line. */
const windowMs = 24 * 60 * 60_000;

/** The completion window of a batch that is made now. */
export const newWindow = () => ({ window_ends_at: instant(Date.now() + windowMs) });

const code = 'batch_expired';

/** Why a batch is stopped whose completion window has ended. */
export const windowOver = `${code}: The completion window ended before each line was asked.`;

/** Whether a batch was stopped because its completion window ended. */
export const isWindowOver = (stopReason: string) => stopReason.startsWith(`${code}:`);
