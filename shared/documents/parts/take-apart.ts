import { unreadableDocument } from '../errors.ts';
import { lossInWords } from '../loss.ts';
import { DocumentProcess, ProcessLostError, type Reading } from '../processes/document-process.ts';
import { processBeside } from '../processes/start-process.ts';
import type { ExtractionOptions } from './extraction.ts';
import type { Part } from './part.ts';

/** The process that takes documents apart, one at a time, and how long each document may take. */
interface ExtractionProcess {
  process: DocumentProcess<ExtractionOptions, Part[]>;
  ms: number;
}

/** Makes a process. `heapMb` bounds its JavaScript heap; a document's bytes have a bound of their own. */
export const takingProcess = (heapMb: number): ExtractionProcess['process'] =>
  new DocumentProcess(processBeside(import.meta.url, 'take-apart-process'), { heapMb });

const usual: ExtractionProcess = { process: takingProcess(512), ms: 30_000 };

/**
 * Takes a document apart: its text, its pictures if it has none or with `forceOcr`, and the files in it, however
 * deep; an unreadable one says why. It runs in a process that is kept unless it took much memory. Throws 422 if it
 * can't be read, has over 500 parts, 50 MB or 30 seconds, or loses its process twice; and the reading's signal's
 * reason.
 */
export async function takeApart(
  options: ExtractionOptions,
  reading: Reading,
  given: Partial<ExtractionProcess> = {},
): Promise<Part[]> {
  const { process, ms } = { ...usual, ...given };
  try {
    return await process.askTwice(options, ms, reading);
  } catch (error) {
    if (!(error instanceof ProcessLostError)) throw error;
    throw unreadableDocument(lossInWords[error.loss], error);
  }
}
