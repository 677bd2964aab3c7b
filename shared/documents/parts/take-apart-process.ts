import { getHeapStatistics } from 'node:v8';
import { answerWith, type MemoryUse } from '../processes/answer-requests.ts';
import { type ExtractionOptions, extractParts, refusalOf } from './extraction.ts';
import type { Part } from './part.ts';

/** A process that holds more than this, garbage included, is not kept. It begins with 28 MB. */
const maxKeptBytes = 64e6;

/** What JavaScript holds. Whoever asks for too much of it ends the process at once. */
const heap: MemoryUse = {
  isUsedUp: false,
  get isWornOut() {
    const { used_heap_size, external_memory } = getHeapStatistics();
    return used_heap_size + external_memory > maxKeptBytes;
  },
};

answerWith(
  async (options: ExtractionOptions): Promise<Part[]> => {
    try {
      return await extractParts(options);
    } catch (error) {
      throw refusalOf(error);
    }
  },
  [heap],
);
