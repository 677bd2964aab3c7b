import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunksOf } from '../../shared/drive/chunks.ts';
import { cutUp } from '../support/fixtures/cut.ts';
import { failureOf } from './use-quire.ts';

const bytes = Buffer.from(Array.from({ length: 100 }, (_, n) => n));

describe('a body that can be opened again', () => {
  it('gives from any offset what is left of a chunk, however it is cut and wherever one goes', async () => {
    await fc.assert(
      fc.asyncProperty(
        cutUp(bytes),
        fc.integer({ min: 1, max: 120 }),
        fc.array(fc.integer({ min: 0, max: bytes.length }), { minLength: 1, maxLength: 8 }),
        async (pieces, chunkBytes, offsets) => {
          const { at } = chunksOf(() => Readable.from(pieces), bytes.length, chunkBytes);

          for (const offset of offsets) {
            const chunk = await at(offset);

            expect(chunk.length).toBeLessThanOrEqual(chunkBytes);
            expect(chunk.length > 0).toBe(offset < bytes.length);
            expect(chunk).toEqual(bytes.subarray(offset, offset + chunk.length));
          }
        },
      ),
    );
  });
});

describe('a body that is there but once', () => {
  it('is read no further than the chunk that is asked for', async () => {
    let read = 0;
    const pieces = function* () {
      for (; read < bytes.length; read += 10) yield bytes.subarray(read, read + 10);
    };
    const body = Readable.from(pieces(), { objectMode: false, highWaterMark: 10 });
    const { at } = chunksOf(body, bytes.length, 20);

    await at(0);

    expect(read).toBeLessThanOrEqual(40);
  });

  it('can go back within its chunk, but no further', async () => {
    const { at } = chunksOf(Readable.from([bytes]), bytes.length, 40);
    await at(0);
    await at(40);

    const again = await at(45);
    const error = await failureOf(at(39));

    expect(again).toEqual(bytes.subarray(45, 80));
    expect(error).toMatchObject({ statusCode: 503, code: 'drive_unavailable' });
  });
});
