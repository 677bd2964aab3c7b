import { beforeEach, describe, expect, it } from 'vitest';
import type { RecognizedPage } from '../../../lib/local/textract/recognized-page.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import type { OcrPage, OcrResult, PipelineResult } from '../../../shared/jobs/results/result.ts';
import {
  greyJpeg,
  imagePart,
  readGrey,
  type SmallPage,
  smallPdf,
  words,
} from '../../support/fixtures/small-documents.ts';
import { cases } from '../../support/run/cases.ts';
import { minuteMs, pass, useFreshHour } from '../../support/worlds/clock.ts';
import {
  expectBalanced,
  expectPaid,
  usdPerPage,
  useOf,
} from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

/** What every page is read as for now, instead of its grey. */
let reading: string | undefined;

const world = await useDocumentWorld(recognize);

useFreshHour();
beforeEach(() => {
  reading = undefined;
});

async function recognize(image: Uint8Array): Promise<RecognizedPage> {
  const page = await readGrey(image);
  const [word] = page.blocks.flatMap(({ paragraphs }) => paragraphs.flat()[0]?.words ?? []);
  if (word && reading !== undefined) word.text = reading;
  return page;
}

const scans = (count: number, firstGrey = 20): SmallPage[] =>
  Array.from({ length: count }, (_, page) => ({ grey: firstGrey + 10 * (page % 20) }));

/** Pages of which so many are read by OCR: all of them, but in the quick run the last four. */
const longScan = (count: number) => {
  const read = cases(4, count);
  const others = Array.from({ length: count - read }, (_, page) => ({ words: words(page) }));
  return { pages: [...others, ...scans(read)], read };
};

let documents = 0;

async function put(pages: SmallPage[]): Promise<{ file_id: string }> {
  return { file_id: await world.add(`cached-${++documents}.pdf`, await smallPdf(pages)) };
}

const question = (pipeline_instruction: string) => ({
  pipeline: 'ocr_then_chat',
  pipeline_instruction,
});

/** Runs a job to its end; returns what it read. */
async function ocr(caller: Caller, input: object, rest: object = {}): Promise<OcrResult> {
  const { id } = await world.submit(caller, { job_type: 'ocr', ...input, ...rest });
  await world.work();
  // What other pages' holds held up goes on once they are settled.
  while ((await world.read(caller, id)).status === 'queued') {
    pass(minuteMs);
    await world.sweep();
  }
  const { result, error } = await world.read(caller, id);
  const read = result?.type === 'pipeline' ? (result as PipelineResult).ocr : (result as OcrResult);
  if (!read) throw new Error(error ?? 'nothing was read');
  return read;
}

const cachedOf = ({ pages }: { pages: OcrPage[] }) =>
  pages.filter(({ cached }) => cached).map(({ page }) => page);

describe('a page that a key has had read before', () => {
  it('costs nothing for two further questions about a scan of many pages', {
    tags: 'exhaustive',
  }, async () => {
    const count = cases(4, 40);
    const caller = await world.newCaller();
    const drive = await put(scans(count));
    const { total } = world.textract.meter.report();

    const answers = [
      await ocr(caller, { drive }, question('What was agreed?')),
      await ocr(caller, { drive }, question('Who is to act?')),
      await ocr(caller, { drive }, question('By when?')),
    ];

    expect(answers.map(({ cost_usd }) => cost_usd)).toEqual([count * usdPerPage, 0, 0]);
    expect(answers.map(({ images_used }) => images_used)).toEqual([count, 0, 0]);
    expect(answers.map((answer) => cachedOf(answer).length)).toEqual([0, count, count]);
    expect(answers[2]?.text).toBe(answers[0]?.text);
    expect(world.textract.meter.report().total - total).toBe(count);
    expect(await useOf(caller)).toMatchObject({ pages: count, images: count, held: 0 });
    await expectBalanced([caller]);
  });

  it('keeps its source, confidence and text, and says that it was cached', async () => {
    const caller = await world.newCaller();
    const drive = await put([{ grey: 60 }]);
    await ocr(caller, { drive });

    const { pages } = await ocr(caller, { drive });

    expect(pages).toEqual([
      { page: 1, source: 'ocr', confidence: 90, text: 'grey 60', cached: true },
    ]);
  });

  it('is the same in a file of another name, in a message, and in parts', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller();
    const jpeg = await greyJpeg(130);
    const inline = { messages: [{ role: 'user', content: [await imagePart(130)] }] };
    const { pages: long, read } = longScan(60);
    await ocr(caller, { drive: { file_id: await world.add('first-name.jpg', jpeg) } });
    await ocr(caller, { drive: await put(long) });

    const renamed = { file_id: await world.add('other-name.jpg', jpeg) };
    const again = [
      await ocr(caller, { drive: renamed }),
      await ocr(caller, { inline }),
      await ocr(caller, { drive: await put(long) }),
    ];

    expect(again.map((result) => cachedOf(result).length)).toEqual([1, 1, read]);
    await expectPaid([caller], read + 1);
  });

  it('needs no budget and no image of the hour', async () => {
    const limits = { images_per_hour: 2, budget_usd: 2 * usdPerPage };
    const caller = await world.newCaller(limits);
    const drive = await put(scans(2));
    await ocr(caller, { drive });

    const again = await ocr(caller, { drive });

    expect(again).toMatchObject({ images_used: 0, cost_usd: 0, text: 'grey 20\n\ngrey 30' });
    await expectPaid([caller], 2);
  });

  it('is read from there by the job that comes after one whose budget ended', async () => {
    const caller = await world.newCaller({ budget_usd: 2.5 * usdPerPage });
    const { file_id } = await put(scans(3));
    const failed = await ocr(caller, { drive: { file_id } });

    const again = await ocr(caller, { drive: { file_id } });

    expect(failed.images_used).toBe(2);
    expect(cachedOf(again)).toEqual(failed.pages.map(({ page }) => page));
    expect((await useOf(caller)).pages).toBe(2);
  });

  it('whose text is too long for an item is read from there too', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller();
    const drive = await put([{ grey: 50 }]);
    reading = 'long '.repeat(70_000).trim();
    const first = await ocr(caller, { drive });

    const again = await ocr(caller, { drive }, question('Sum up.'));

    expect(first.pages[0]?.text).toBeNull();
    expect(cachedOf(again)).toEqual([1]);
    expect((await useOf(caller)).pages).toBe(1);
  });

  it('gives way to its text layer, unless OCR is forced', async () => {
    const caller = await world.newCaller();
    const drive = await put([{ words: words(1) }, { grey: 70 }]);
    const forced = await ocr(caller, { drive, force_ocr: true });

    const plain = await ocr(caller, { drive });
    const forcedAgain = await ocr(caller, { drive, force_ocr: true });

    expect(forced.images_used).toBe(2);
    expect(plain.pages.map(({ source, cached }) => [source, cached])).toEqual([
      ['text_layer', undefined],
      ['ocr', true],
    ]);
    expect(cachedOf(forcedAgain)).toEqual([1, 2]);
    await expectPaid([caller], 2);
  });
});

describe('a page is paid and read anew', () => {
  it('for another key, which learns nothing of the first', async () => {
    const [first, other] = [await world.newCaller(), await world.newCaller()];
    const drive = await put(scans(3));
    const read = await ocr(first, { drive });

    const others = await ocr(other, { drive });

    expect(others).toEqual(read);
    expect(others.images_used).toBe(3);
    await expectPaid([first, other], 3);
  });

  it('by another model, and then no more by that', async () => {
    const caller = await world.newCaller();
    const drive = await put([{ grey: 80 }]);
    await ocr(caller, { drive });

    const seen = await ocr(caller, { drive }, { model: 'gpt-4.1-mini' });
    const again = await ocr(caller, { drive }, { model: 'gpt-4.1-mini' });

    expect([seen, again].map(({ images_used }) => images_used)).toEqual([1, 0]);
    expect(seen.cost_usd).toBeGreaterThan(0);
    expect(again).toMatchObject({ cost_usd: 0, text: seen.text });
    await expectBalanced([caller]);
  });

  it('where the content differs by a byte', async () => {
    const caller = await world.newCaller();
    const jpeg = await greyJpeg(90);
    await ocr(caller, { drive: { file_id: await world.add('bytes-1.jpg', jpeg) } });

    const longer = await world.add('bytes-2.jpg', Buffer.concat([jpeg, Buffer.from([0])]));
    const { images_used } = await ocr(caller, { drive: { file_id: longer } });

    expect(images_used).toBe(1);
  });

  it('with fresh, which replaces what was kept', async () => {
    const caller = await world.newCaller();
    const drive = await put(scans(2));
    await ocr(caller, { drive });

    reading = 'better';
    const fresh = await ocr(caller, { drive, fresh: true });
    reading = undefined;
    const later = await ocr(caller, { drive });

    expect(fresh).toMatchObject({ images_used: 2, text: 'better 20\n\nbetter 30' });
    expect(cachedOf(fresh)).toEqual([]);
    expect(later).toMatchObject({ images_used: 0, text: fresh.text });
    await expectPaid([caller], 4);
  });

  it('with fresh in every part of a long document', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    const { pages, read } = longScan(55);
    const drive = await put(pages);
    await ocr(caller, { drive });

    const fresh = await ocr(caller, { drive, fresh: true });

    expect(cachedOf(fresh)).toEqual([]);
    await expectPaid([caller], 2 * read);
  });

  it('that could not be read', async () => {
    const caller = await world.newCaller();
    const drive = await put([{ grey: 40 }, { grey: 50 }]);
    await world.failTextract({ type: 'UnsupportedDocumentException', status: 400 });
    const first = await ocr(caller, { drive });

    const again = await ocr(caller, { drive });

    expect(first.failed_pages).toHaveLength(1);
    expect(again).toMatchObject({ images_used: 1, text: 'grey 40\n\ngrey 50' });
    expect(again).not.toHaveProperty('failed_pages');
    await expectPaid([caller], 2);
  });
});

it('jobs on one document at the same time each have it whole, and pay for what they read', {
  tags: 'exhaustive',
}, async () => {
  const caller = await world.newCaller();
  const drive = await put(scans(12));
  const ids: string[] = [];
  for (const _ of Array(4)) {
    ids.push((await world.submit(caller, { job_type: 'ocr', drive })).id);
  }

  await world.work();

  const results = await Promise.all(
    ids.map(async (id) => (await world.read(caller, id)).result as OcrResult),
  );
  const whole = results.map(({ text }) => text);
  expect(new Set(whole).size).toBe(1);
  const read = results.reduce((sum, { images_used }) => sum + images_used, 0);
  expect(read).toBeGreaterThanOrEqual(12);
  const costs = results.map(({ images_used, cost_usd }) => [cost_usd, images_used * usdPerPage]);
  for (const [cost = 0, priced = 0] of costs) expect(cost).toBeCloseTo(priced, 9);
  expect(await useOf(caller)).toMatchObject({ pages: read, images: read, held: 0 });
  await expectPaid([caller], read);
});
