import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { decodeGrey, toPgm } from '../../../lib/local/textract/grey-image.ts';
import { tesseractJs } from '../../../lib/local/textract/tesseract-js.ts';
import { scanOf } from '../../support/fixtures/scans.ts';

const signal = new AbortController().signal;

const pgmOf = async (text: string) =>
  toPgm(await decodeGrey(await scanOf({ text, dpi: 150, noise: 0 })));

describe('a thread of tesseract.js', () => {
  it('ends after a while without a page, and another reads the next one', {
    tags: 'exhaustive',
  }, async () => {
    const counts: number[] = [];
    const ended = Promise.withResolvers<void>();
    const reader = tesseractJs({
      idleMs: 1,
      onThreads: (count) => {
        counts.push(count);
        if (count === 0) ended.resolve();
      },
    });
    const pgm = await pgmOf('The harbour trust met in the town hall.');

    await reader.read(pgm, signal);
    await ended.promise;
    const again = await reader.read(pgm, signal);
    await reader.close();

    expect(counts.slice(0, 3)).toEqual([1, 0, 1]);
    expect(wordsOf(again)).toContain('harbour');
  });

  it('reads page after page while there are any', { tags: 'exhaustive' }, async () => {
    const counts: number[] = [];
    const reader = tesseractJs({ onThreads: (count) => counts.push(count) });
    const pgm = await pgmOf('Minutes.');

    await reader.read(pgm, signal);
    await reader.read(pgm, signal);

    expect(counts).toEqual([1]);
    await reader.close();
    expect(counts).toEqual([1, 0]);
  });

  it('keeps nothing of a page that it has read', { tags: 'exhaustive' }, async () => {
    const reader = tesseractJs();
    const read = new WeakRef(await reader.read(await pgmOf('Minutes.'), signal));

    await nextTurn();
    collectGarbage();

    expect(read.deref()).toBeUndefined();
    await reader.close();
  });

  it('ends with the page that nobody waits for any more', async () => {
    const reader = tesseractJs();
    const waiting = new AbortController();
    const read = reader.read(await pgmOf('Minutes.'), waiting.signal);

    waiting.abort(new Error('gone'));

    await expect(read).rejects.toThrow('gone');
    await reader.close();
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

const wordsOf = (blocks: Awaited<ReturnType<ReturnType<typeof tesseractJs>['read']>>) =>
  blocks.flatMap(({ paragraphs }) =>
    paragraphs.flatMap(({ lines }) => lines.flatMap(({ words }) => words.map(({ text }) => text))),
  );
