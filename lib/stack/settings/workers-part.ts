import { minToReserve } from './reserved-concurrency.ts';

/** The settings that take from the account's concurrency. */
export interface Load {
  readonly concurrency: number;
  readonly chatWorkers: number;
  readonly ocrWorkers: number;
  readonly folderWorkers: number;
}

/** The part of the concurrency that workers may take; more than half of it may be reserved for others. */
export const workersPart = (isReserved: boolean): number => (isReserved ? 0.3 : 0.6);

/** Whether the workers leave the routes something. */
export const workersFit = (part: number, load: Load): boolean =>
  workersOf(load) <= load.concurrency * part;

/** Whether parts of the concurrency can be reserved beside these workers. */
export const mayReserve = (load: Load): boolean =>
  load.concurrency >= minToReserve && workersFit(workersPart(true), load);

/** The fewest workers of a kind that Lambda takes from a queue. */
const minWorkers = 2;

/** Returns as many workers of each kind as fit, in about the proportion that was asked for. */
export function fewerWorkers(part: number, load: Load): Omit<Load, 'concurrency'> {
  const room = Math.floor(load.concurrency * part) - 3 * minWorkers;
  const share = Math.min(1, Math.max(0, room) / Math.max(1, workersOf(load) - 3 * minWorkers));
  const fewer = (workers: number) => minWorkers + Math.floor((workers - minWorkers) * share);
  return {
    chatWorkers: fewer(load.chatWorkers),
    ocrWorkers: fewer(load.ocrWorkers),
    folderWorkers: fewer(load.folderWorkers),
  };
}

const workersOf = ({ chatWorkers, ocrWorkers, folderWorkers }: Load) =>
  chatWorkers + ocrWorkers + folderWorkers;
