import { afterAll, expect, it } from 'vitest';
import type { Document } from '../../shared/documents/document.ts';
import { openDocument } from '../../shared/documents/parts/open-document.ts';
import { textLayersIn } from '../../shared/documents/parts/text-layers.ts';
import { DocumentProcess } from '../../shared/documents/processes/document-process.ts';
import type {
  DocumentAnswer,
  DocumentRequest,
} from '../../shared/documents/processes/document-requests.ts';
import { openInProcess } from '../../shared/documents/processes/read-in-process.ts';
import {
  deflateBombPage,
  greyPage,
  hugeGif,
  nestedFormsPage,
  rawPdf,
  shadingPage,
  tiffOfTwo,
  wordsPage,
} from '../support/fixtures/poison.ts';
import { words } from '../support/fixtures/small-documents.ts';
import { cases, isExhaustive } from '../support/run/cases.ts';
import { writtenLines } from '../support/run/output.ts';
import { residentBytesOf } from '../support/servers/processes.ts';
import { fileOf } from './open-bytes.ts';

/** A process of this file's own, which has three seconds for a request. */
const file = new URL('../../shared/documents/parts/pages-process.ts', import.meta.url);
const own = new DocumentProcess<DocumentRequest, DocumentAnswer>(file, { heapMb: 256 });
const reader = { process: own, ms: 3_000 };

afterAll(() => own.end());

const readingOf = () => ({ turn: 'key', losses: { count: 0 } });

const lastingPage = shadingPage(4_000);

/** A process whose libvips has too little memory for a large picture. */
const scarce = new DocumentProcess<DocumentRequest, DocumentAnswer>(
  new URL('../support/fixtures/scarce-pages-process.ts', import.meta.url),
  { heapMb: 256 },
);
afterAll(() => scarce.end());

/** What becomes of each page, asked for all at once. */
const pagesOf = (document: Document) =>
  Promise.all(
    Array.from({ length: document.pageCount }, async (_, index) =>
      document.readPage(index + 1).then(
        (content) => Object.keys(content)[0],
        ({ statusCode, message }) => `${statusCode} ${message}`,
      ),
    ),
  );

const tooLong = (page: number) => `422 Page ${page} can't be read: it takes too long to read.`;
const tooLarge = (page: number) =>
  `422 Page ${page} can't be read: it takes too much memory to read.`;

it('a page that takes long is given up after two tries, and the others of its document are read', {
  tags: 'exhaustive',
}, async () => {
  const after = isExhaustive ? [greyPage(120)] : [];
  const path = fileOf(rawPdf([wordsPage(words(1)), lastingPage, ...after]));
  const hasty = { process: own, ms: 30_000 };
  const document = await openInProcess(hasty, path, 'pdf', readingOf());
  hasty.ms = cases(500, reader.ms);

  const read = pagesOf(document);

  expect(await read).toEqual(['textLayer', tooLong(2), ...after.map(() => 'jpeg')]);
});

it('the loop goes on while a page is drawn', { tags: 'exhaustive' }, async () => {
  const path = fileOf(rawPdf([shadingPage(30), greyPage(120)]));
  const document = await openDocument(path, 'pdf', { turn: 'key' });
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 10);

  const { jpeg } = await document.readPage(1);
  clearInterval(turning);

  expect(jpeg).toBeDefined();
  expect(turns).toBeGreaterThan(5);
  document.close();
});

it.each([
  ['forms within forms of 2 KB', () => nestedFormsPage(10, 7)],
  ['a stream that unpacks to a gigabyte', () => deflateBombPage(1_000)],
])('%s take no more memory than there is for a page', { tags: 'exhaustive' }, async (_, page) => {
  const file = rawPdf([page(), greyPage(120)]);
  const path = fileOf(file);
  const document = await openInProcess({ ...reader, ms: 60_000 }, path, 'pdf', readingOf());
  const before = residentBytesOf(process.pid);
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, residentBytesOf(process.pid) - before);
  }, 20);

  const read = await pagesOf(document);
  clearInterval(watching);

  expect(file.length).toBeLessThan(2_000_000);
  expect(read).toEqual([tooLarge(1), 'jpeg']);
  expect(most / 1e6).toBeLessThan(1_900);
});

it('a document of such pages alone is given up after five', { tags: 'exhaustive' }, async () => {
  const [lost, given] = isExhaustive
    ? [
        [1, 2, 3, 4, 5],
        [6, 7, 8],
      ]
    : [[1], [2, 3]];
  const path = fileOf(rawPdf([...lost, ...given].map(() => lastingPage)));
  const hasty = { process: own, ms: 30_000 };
  const reading = { ...readingOf(), losses: { count: 5 - lost.length } };
  const document = await openInProcess(hasty, path, 'pdf', reading);
  hasty.ms = 500;
  const givenUp = (page: number) =>
    `422 Page ${page} can't be read: 5 others took too long, or too much memory.`;

  const read = await pagesOf(document);

  expect(read).toEqual([...lost.map(tooLong), ...given.map(givenUp)]);
});

it('documents beside one that loses its process are read', { tags: 'exhaustive' }, async () => {
  const poisoned = await openInProcess(
    reader,
    fileOf(rawPdf([lastingPage, greyPage(7)])),
    'pdf',
    readingOf(),
  );
  const good = await openInProcess(reader, fileOf(rawPdf(greys(6))), 'pdf', readingOf());

  const [bad, read] = await Promise.all([pagesOf(poisoned), pagesOf(good)]);

  expect(bad).toEqual([tooLong(1), 'jpeg']);
  expect(read).toEqual(Array(6).fill('jpeg'));
});

const greys = (count: number) => Array.from({ length: count }, (_, page) => greyPage(20 * page));

it('a document that loses its process twice while it is opened is refused', async () => {
  // No process starts as fast.
  await own.end();

  const opening = openInProcess(
    { process: own, ms: 1 },
    fileOf(rawPdf([greyPage(9)])),
    'pdf',
    readingOf(),
  );

  await expect(opening).rejects.toMatchObject({
    statusCode: 422,
    code: 'unreadable_document',
    message: "The document can't be read: it takes too long to read.",
  });
});

it("each page of a TIFF is measured before it is unpacked, whatever its first one's size", {
  tags: 'exhaustive',
}, async () => {
  const file = tiffOfTwo(100_000, 100_000);
  const document = await openDocument(fileOf(file), 'image', { turn: 'key' });

  const read = await pagesOf(document);

  expect(file.length).toBeLessThan(20_000);
  expect(read).toEqual(['jpeg', "422 Page 2 can't be read: it has more than 1000 megapixels."]);
  document.close();
});

it('a text layer that takes all memory is left out, and the others are read', {
  tags: 'exhaustive',
}, async () => {
  const path = fileOf(rawPdf([nestedFormsPage(10, 7), wordsPage(words(2))]));

  expect(await Array.fromAsync(textLayersIn(path, readingOf()))).toEqual([
    undefined,
    expect.objectContaining({ text: words(2) }),
  ]);
});

it('a large picture leaves the next one as much memory as it had', {
  tags: 'exhaustive',
}, async () => {
  const sides = isExhaustive ? [7_000, 9_000, 7_000, 9_000] : [3_000, 4_000];
  const pictures = sides.map((side) => fileOf(hugeGif(side)));
  const read: (string | undefined)[][] = [];

  for (const path of pictures) {
    const document = await openInProcess({ ...reader, ms: 30_000 }, path, 'image', readingOf());
    read.push(await pagesOf(document));
    document.close();
  }

  expect(read).toEqual(sides.map(() => ['jpeg']));
});

it('a picture for which libvips aborts is tried in a new process, then given up; the next one is read', {
  tags: 'exhaustive',
}, async () => {
  const read: (string | undefined)[][] = [];

  for (const side of [9_000, 100]) {
    const path = fileOf(hugeGif(side));
    const document = await openInProcess(
      { process: scarce, ms: 30_000 },
      path,
      'image',
      readingOf(),
    );
    read.push(await pagesOf(document));
  }

  expect(read).toEqual([
    ["422 The document can't be read: it takes too much memory to read."],
    ['jpeg'],
  ]);
  expect(writtenLines().filter((line) => line.includes('document process lost'))).toHaveLength(2);
});
