import { setting } from '../../config.ts';
import type { TextLimits } from '../../documents/parts/document-texts.ts';
import type { JobKey } from '../job.ts';

/** A longer text would be put to the model in hundreds of parts. A file of requests may be longer. */
export const maxTextBytes = 20 * 1024 * 1024;

/** Returns how long the text of a job's document may be. */
export const textLimits = ({ key_id }: JobKey, signal?: AbortSignal): TextLimits => ({
  pages: setting('DOCUMENT_LIMITS').pages,
  characters: maxTextBytes,
  turn: key_id,
  signal,
});
