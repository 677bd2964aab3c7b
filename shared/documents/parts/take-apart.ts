import { ServiceError } from '../../http/errors.ts';
import { unreadableDocument } from '../errors.ts';
import { lossInWords } from '../loss.ts';
import type { SentError } from '../processes/answer-requests.ts';
import { DocumentProcess, ProcessLostError, type Reading } from '../processes/document-process.ts';
import { processBeside } from '../processes/start-process.ts';
import type { ExtractionOptions } from './extraction.ts';
import type { Part } from './part.ts';
import type { SentPart } from './take-apart-process.ts';

/** What takes documents apart, one at a time, and how long each may take. */
interface Taker {
  process: DocumentProcess<ExtractionOptions, SentPart[]>;
  ms: number;
}

/** Makes a process. `heapMb` bounds its JavaScript heap; a document's bytes have a bound of their own. */
export const takingProcess = (heapMb: number): Taker['process'] =>
  new DocumentProcess(processBeside(import.meta.url, 'take-apart-process'), { heapMb });

const taker: Taker = { process: takingProcess(512), ms: 30_000 };

/**
 * Takes a document apart: its text, its pictures if it has none or with `forceOcr`, and the files in it, however
 * deep; an unreadable one says why. It runs in a process that is kept unless it took much memory. Throws 422 if it
 * can't be read, has over 500 parts, 50 MB or 30 seconds, or loses its process twice; and the reading's signal's
 * reason.
 */
export async function takeApart(
  options: ExtractionOptions,
  reading: Reading,
  given: Partial<Taker> = {},
): Promise<Part[]> {
  const { process, ms } = { ...taker, ...given };
  for (let attempt = 1; ; attempt++) {
    try {
      return (await process.ask(options, ms, reading)).map(toPart);
    } catch (error) {
      if (!(error instanceof ProcessLostError)) throw error;
      // The machine may have been at fault. The time is too long to be given twice.
      if (attempt === 1 && error.loss !== 'time') continue;
      throw unreadableDocument(lossInWords[error.loss], error);
    }
  }
}

const toPart = (part: SentPart): Part =>
  part.is === 'unreadable' ? { ...part, error: toError(part.error) } : part;

const toError = ({ code, message }: SentError) =>
  new ServiceError(422, code, message, { retryAfterSeconds: null });
