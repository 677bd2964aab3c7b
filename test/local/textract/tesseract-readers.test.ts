import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeGrey, toPgm } from '../../../lib/local/textract/grey-image.ts';
import { readHocr } from '../../../lib/local/textract/hocr.ts';
import { tesseractJs } from '../../../lib/local/textract/tesseract-js.ts';
import { findNativeTesseract } from '../../../lib/local/textract/tesseract-native.ts';
import { scanOf } from '../../support/fixtures/scans.ts';
import { poll } from '../../support/servers/poll.ts';
import { processesOf, untilGone } from '../../support/servers/processes.ts';

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

describe("the machine's own Tesseract", () => {
  const installed: string[] = [];
  afterEach(() => {
    vi.unstubAllEnvs();
    for (const folder of installed.splice(0)) rmSync(folder, { recursive: true });
  });

  /** Puts a program called tesseract before all others; returns its folder. */
  function install(script: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'quire-test-'));
    writeFileSync(join(folder, 'tesseract'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'tesseract'), 0o755);
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
    installed.push(folder);
    return folder;
  }

  /** A program that tells a version; with a page to read it does as given. */
  const program = (version: string, read: string) =>
    `if [ "$1" = --version ]; then echo "${version}"; else ${read}; fi`;

  it.each([
    ['is too old', program('tesseract 3.05.01', 'exit 1')],
    ['is another program', program('lens 5.3.0', 'exit 1')],
    ['breaks', 'exit 3'],
  ])('is left alone where it %s', async (_, script) => {
    install(script);

    expect(await findNativeTesseract()).toBeUndefined();
  });

  it('is left alone where there is none', async () => {
    vi.stubEnv('PATH', '/nowhere');

    expect(await findNativeTesseract()).toBeUndefined();
  });

  it('is known by its version', async () => {
    install(program('tesseract 4.1.1\n leptonica-1.79.0', 'exit 1'));

    const reader = await findNativeTesseract();

    expect(reader?.name).toBe('tesseract 4.1.1');
    await reader?.close();
  });

  it('that fails on a page fails that page', async () => {
    install(program('tesseract 5.3.0', 'exit 1'));
    const reader = await findNativeTesseract();

    await expect(reader?.read(Buffer.alloc(1_000_000), signal)).rejects.toThrow(/^Command failed/);
    await reader?.close();
  });

  it('is ended with the page that nobody waits for, and with the server', async () => {
    const folder = install(program('tesseract 5.3.0', 'mkfifo $0-$$; read never < $0-$$'));
    const reader = await findNativeTesseract();
    const waiting = new AbortController();
    const reads = [signal, waiting.signal].map((each) => reader?.read(Buffer.from('P5'), each));
    const ends = Promise.allSettled(reads);
    await poll(
      () => processesOf(folder),
      ({ length }) => length === 2,
    );

    waiting.abort();
    await poll(
      () => processesOf(folder),
      ({ length }) => length === 1,
    );
    await reader?.close();

    await untilGone(folder);
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('hOCR', () => {
  it('is read as blocks of lines of words', () => {
    const blocks = readHocr(`<div class='ocr_page' id='page_1' title='image "-"; bbox 0 0 900 700'>
   <div class='ocr_photo' id='block_1_1' title="bbox 1 2 3 4"></div>
   <div class='ocr_carea' id='block_1_2' title="bbox 10 20 300 80">
    <p class='ocr_par' id='par_1_1' lang='eng' title="bbox 10 20 300 80">
     <span class='ocr_header' id='line_1_1' title="bbox 10 20 300 50; baseline 0.01 -5; x_size 24.5; x_descenders 5">
      <span class='ocrx_word' id='word_1_1' title='bbox 10 20 90 50; x_wconf 91'><strong>Tarn</strong></span>
      <span class='ocrx_word' id='word_1_2' title='bbox 95 20 110 50; x_wconf 7'>&amp;lt; &lt;&#39;&quot;</span>
     </span>
    </p></div></div>`);

    expect(blocks).toEqual([
      { blocktype: '9', bbox: { x0: 1, y0: 2, x1: 3, y1: 4 }, paragraphs: [] },
      {
        blocktype: '1',
        bbox: { x0: 10, y0: 20, x1: 300, y1: 80 },
        paragraphs: [
          {
            lines: [
              {
                baseline: { x0: 10, y0: 45, x1: 300, y1: 47.9 },
                rowAttributes: { rowHeight: 24.5 },
                words: [
                  { text: 'Tarn', confidence: 91, bbox: { x0: 10, y0: 20, x1: 90, y1: 50 } },
                  { text: '&lt; <\'"', confidence: 7, bbox: { x0: 95, y0: 20, x1: 110, y1: 50 } },
                ],
              },
            ],
          },
        ],
      },
    ]);
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
