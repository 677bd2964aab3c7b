import { expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { OcrResult } from '../../../../shared/jobs/results/result.ts';
import {
  deflateBombPage,
  greyPage,
  hugeGif,
  type PoisonedPage,
  rawPdf,
  shadingPage,
  tiffOfTwo,
  wordsPage,
} from '../../../support/fixtures/poison.ts';
import { greyJpeg, smallPdf, words } from '../../../support/fixtures/small-documents.ts';
import { cases } from '../../../support/run/cases.ts';
import { useFreshHour } from '../../../support/worlds/clock.ts';
import { expectPaid, useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

useFreshHour();

let documents = 0;

async function submit(
  caller: Caller,
  bytes: Uint8Array,
  { type = 'pdf', ...rest }: { type?: string; force_ocr?: boolean } = {},
): Promise<string> {
  documents += 1;
  const drive = { file_id: await world.add(`document-${documents}.${type}`, bytes) };
  const { id } = await world.submit(caller, { job_type: 'ocr', drive, max_retries: 0, ...rest });
  return id;
}

const pagesOf = (result: unknown) =>
  (result as OcrResult).pages.map(({ page, text, error }) => [page, error ?? text]);

const memoryPage = deflateBombPage(1_000);
const tooLarge = (page: number) =>
  `unreadable_page: Page ${page} can't be read: it takes too much memory to read.`;

it('a page that takes all memory fails alone, and is not paid; the jobs beside it have no part in it', {
  tags: 'exhaustive',
}, async () => {
  const [attacker, victim] = [await world.newCaller(), await world.newCaller()];
  const poison = await submit(
    attacker,
    rawPdf([wordsPage(words(1)), memoryPage, greyPage(120), wordsPage(words(4))]),
  );
  const others = [
    await submit(victim, await smallPdf([{ grey: 40 }, { words: words(2) }])),
    await submit(victim, await greyJpeg(90), { type: 'jpg' }),
  ];

  await world.work();

  const { status, result } = await world.read(attacker, poison);
  expect({ status, pages: pagesOf(result) }).toEqual({
    status: 'done',
    pages: [
      [1, words(1)],
      [2, tooLarge(2)],
      [3, 'grey 120'],
      [4, words(4)],
    ],
  });
  for (const id of others) {
    expect(await world.read(victim, id)).toMatchObject({ status: 'done', retry_count: 0 });
  }
  expect(await useOf(attacker)).toMatchObject({ pages: 1, images: 1, held: 0 });
  await expectPaid([attacker], 1);
  await expectPaid([victim], 2);
});

it('a document that can only be given up fails with a sentence, and costs nothing', {
  tags: 'exhaustive',
}, async () => {
  const caller = await world.newCaller();
  const id = await submit(caller, rawPdf([memoryPage]));

  await world.work();

  expect(await world.read(caller, id)).toMatchObject({
    status: 'failed',
    error:
      "unreadable_document: None of the document's pages could be read. The document can't be read: it takes too much memory to read.",
  });
  expect(await useOf(caller)).toMatchObject({ pages: 0, images: 0, held: 0 });
  await expectPaid([caller], 0);
});

it('a page of a TIFF that says it is huge fails alone', async () => {
  const caller = await world.newCaller();
  const id = await submit(caller, tiffOfTwo(100_000, 100_000), { type: 'tiff' });

  await world.work();

  const { status, result } = await world.read(caller, id);
  expect({ status, pages: pagesOf(result) }).toEqual({
    status: 'done',
    pages: [
      [1, 'grey 260'],
      [2, "unreadable_page: Page 2 can't be read: it has more than 1000 megapixels."],
    ],
  });
  await expectPaid([caller], 1);
});

it.each<[string, (first: number) => PoisonedPage, { force_ocr?: boolean }]>([
  ['is drawn at once and takes all memory', memoryPage, { force_ocr: true }],
  // It is looked at in small, for being blank, which is a seventieth of the work of drawing it.
  ['has no text layer and takes long', shadingPage(4_000), {}],
])('nobody draws a page that %s for a key that may not pay for it', async (_, page, rest) => {
  const without = {
    images: await world.newCaller({ images_per_hour: 0 }),
    money: await world.newCaller({ budget_usd: 0 }),
  };
  const jobs = {
    images: await submit(without.images, rawPdf([page]), rest),
    money: await submit(without.money, rawPdf([page]), rest),
  };

  await world.work();

  expect(await world.read(without.images, jobs.images)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^ocr_not_allowed: /),
  });
  expect(await world.read(without.money, jobs.money)).toMatchObject({
    error: expect.stringMatching(/^budget_exceeded: /),
  });
  await expectPaid(Object.values(without), 0);
});

it('a large picture of one key takes no memory from the next one of another key', async () => {
  const [first, second] = [await world.newCaller(), await world.newCaller()];
  const ends: unknown[] = [];

  for (const [caller, side] of [
    [first, cases(3_000, 7_000)],
    [second, cases(4_000, 9_000)],
  ] as const) {
    const id = await submit(caller, hugeGif(side), { type: 'gif' });
    await world.work();
    const { status, error } = await world.read(caller, id);
    ends.push({ status, error });
  }

  expect(ends).toEqual(Array(2).fill({ status: 'done', error: null }));
  await expectPaid([first], 1);
  await expectPaid([second], 1);
});
