import { errorFields, log } from '../log.ts';
import type { Piece } from './read-pieces.ts';

/**
 * Reads a stream to its end for a caller who hung up, so that all that the model produced is metered. A caller's
 * leaving ends the generator that serves them; its `finally` calls this, and then settles the call.
 */
export async function drain(pieces: AsyncGenerator<Piece>): Promise<void> {
  try {
    for await (const _ of pieces);
  } catch (error) {
    log('warn', 'upstream stream broke', errorFields(error));
  }
}
