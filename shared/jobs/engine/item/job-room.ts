import { memory, type Room } from '../../../http/byte-budget.ts';
import type { JobKey } from './job.ts';

/** How long a job waits for room. Then it goes back to its queue, which costs no retry. */
export const jobsWait = { waitMs: 20_000 };

/** Opens a room for something of a job's, with so many bytes of it. Throws `NoRoomError` if they find no room in time. */
export const roomOf = ({ key_id }: Pick<JobKey, 'key_id'>, bytes: number): Promise<Room> =>
  memory().open(key_id, bytes, jobsWait);
