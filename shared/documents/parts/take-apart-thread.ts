import { parentPort, workerData } from 'node:worker_threads';
import type { ServiceError } from '../../http/errors.ts';
import type { Part } from './part.ts';
import { refusalOf, type TakingOptions, takeApartHere } from './taking.ts';

/** A 422 on its way to another thread. */
export type SentError = Pick<ServiceError, 'code' | 'message'>;

/** A part on its way. */
export type SentPart =
  | Exclude<Part, { is: 'unreadable' }>
  | { name: string; is: 'unreadable'; error: SentError };

/** What the thread sends before it ends. */
export type TakenApart = { parts: SentPart[] } | { error: SentError };

/** What isn't the document's fault ends the thread, and is thrown where it was started. */
async function taken(): Promise<TakenApart> {
  try {
    return { parts: (await takeApartHere(workerData as TakingOptions)).map(toSent) };
  } catch (error) {
    return { error: sent(refusalOf(error)) };
  }
}

const toSent = (part: Part): SentPart =>
  part.is === 'unreadable' ? { ...part, error: sent(part.error) } : part;

const sent = ({ code, message }: ServiceError): SentError => ({ code, message });

parentPort?.postMessage(await taken());
