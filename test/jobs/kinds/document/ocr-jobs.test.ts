import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import { newestJobs } from '../../../../shared/jobs/operators/find-jobs.ts';
import type { OcrResult, PipelineResult } from '../../../../shared/jobs/results/result.ts';
import { lowConfidence, warnings } from '../../../../shared/jobs/results/warnings.ts';
import { listJobs } from '../../../../shared/jobs/routes/read.ts';
import { emailOf, rtfOf } from '../../../support/fixtures/common-documents.ts';
import {
  archiveOf,
  docxOf,
  relationships,
  wordParagraph,
  xlsxOf,
} from '../../../support/fixtures/office-files.ts';
import { pdfOf } from '../../../support/fixtures/pdfs.ts';
import {
  greyJpeg,
  imagePart,
  readGrey,
  type SmallPage,
  smallPdf,
  words,
} from '../../../support/fixtures/small-documents.ts';
import { pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { usdPerPage, useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';

/** A page of this grey is read with little confidence. */
const unsureGrey = 220;

const world = await useDocumentWorld(async (image) => {
  const page = await readGrey(image);
  const [words = []] = page.blocks.map(({ paragraphs }) => paragraphs.flat()[0]?.words);
  if (words.some(({ text }) => text === String(unsureGrey))) {
    for (const word of words) word.confidence = lowConfidence - 1;
  }
  return page;
});

useFreshHour();

async function ocr(caller: Caller, name: string, content: Uint8Array | string, rest: object = {}) {
  const drive = { file_id: await world.add(name, content) };
  const { id } = await world.submit(caller, { job_type: 'ocr', drive, ...rest });
  await world.work();
  return world.read(caller, id);
}

describe('a document', () => {
  it('that is a scan is read, charged and written beside its source', async () => {
    const caller = await world.newCaller();

    const job = await ocr(caller, 'one-scan.jpg', await greyJpeg(120));

    expect(job).toMatchObject({
      status: 'done',
      error: null,
      filename: 'one-scan.jpg',
      model: 'textract',
      drive_folder_id: 'local-drive',
      drive_result_file_id: await world.idOf('one-scan.jpg.ocr.md'),
    });
    expect(job.result).toEqual({
      type: 'ocr',
      page_count: 1,
      images_used: 1,
      text: 'grey 120',
      pages: [{ page: 1, source: 'ocr', confidence: 90, text: 'grey 120' }],
      cost_usd: usdPerPage,
    });
    expect(await useOf(caller)).toEqual({ pages: 1, held: 0, used: usdPerPage, images: 1 });
  });

  it('with a text layer costs nothing, unless OCR is forced', async () => {
    const caller = await world.newCaller();
    const pdf = await smallPdf([{ words: words(1) }]);

    const layer = await ocr(caller, 'printed.pdf', pdf);
    const forced = await ocr(caller, 'printed.pdf', pdf, { force_ocr: true });

    expect(layer.result).toMatchObject({ images_used: 0, cost_usd: 0 });
    expect((layer.result as OcrResult).text?.replace(/\s+/g, ' ')).toBe(words(1));
    expect(forced.result).toMatchObject({ images_used: 1, cost_usd: usdPerPage });
    expect((await useOf(caller)).pages).toBe(1);
  });

  it('of both kinds of pages is read page by page, in order', async () => {
    const caller = await world.newCaller();
    const pages: SmallPage[] = [{ grey: 30 }, { words: words(2) }, { grey: 200 }];

    const job = await ocr(caller, 'mixed-small.pdf', await smallPdf(pages));

    const { pages: read } = job.result as OcrResult;
    expect(read.map(({ page, source }) => [page, source])).toEqual([
      [1, 'ocr'],
      [2, 'text_layer'],
      [3, 'ocr'],
    ]);
    expect(read[2]?.text).toBe('grey 200');
    expect((await useOf(caller)).images).toBe(2);
  });

  it('longer than a part is read in parts that nobody sees', async () => {
    const caller = await world.newCaller();
    const pages = Array.from({ length: 120 }, (_, page) => ({ words: words(page + 1) }));

    const job = await ocr(caller, 'long.pdf', await smallPdf(pages));

    const result = job.result as OcrResult;
    expect(job.status).toBe('done');
    expect(result.pages.map(({ page }) => page)).toEqual(pages.map((_, index) => index + 1));
    expect(result.pages[119]?.text?.replace(/\s+/g, ' ')).toBe(words(120));
  });

  it.each([
    ['notes.txt', 'Only words.'],
    ['rows.csv', 'item,price\nlamp,3'],
    ['note.md', '# Lamps'],
    ['lamp.json', '{"lamp": 3}'],
    ['lines.jsonl', '{"lamp": 3}\n{"lamp": 4}'],
  ])('%s is a text, and is returned as it is', async (name, content) => {
    const caller = await world.newCaller();

    const job = await ocr(caller, name, content);

    const page = { page: 1, source: 'text_layer', confidence: null, text: content };
    expect(job).toMatchObject({
      status: 'done',
      result: { type: 'ocr', page_count: 1, images_used: 0, text: content, pages: [page] },
    });
    expect(job.drive_result_file_id).not.toBeNull();
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });

  it('a text goes to the chat step of a pipeline', async () => {
    const caller = await world.newCaller();
    const task = { pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' };

    const { status, result } = await ocr(caller, 'to-sum-up.txt', 'Only words.', task);

    expect(status).toBe('done');
    expect((result as PipelineResult).chat?.content).toBe('echo: Sum up.\n\nOnly words.');
  });

  it.each<[string, Uint8Array | string, RegExp]>([
    ['empty.pdf', '', /^empty_document: /],
    ['cut.pdf', '%PDF-1.7\n1 0 obj', /^unreadable_document: /],
    ['rubbish.bin', new Uint8Array([0, 1, 2, 3, 0, 255]), /^unsupported_file_type: /],
    ['photo.heic', heic(), /^unsupported_file_type: .*a HEIC picture/],
  ])('%s fails alone, and says why', async (name, content, error) => {
    const caller = await world.newCaller();

    const job = await ocr(caller, name, content);

    expect(job).toMatchObject({ status: 'failed', result: null, retry_count: 0 });
    expect(job.error).toMatch(error);
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });

  it.each([
    ['no such file', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ["another folder's file", undefined],
  ])('is not found where it is %s', async (_, unknown) => {
    world.drive.put('elsewhere/secret.jpg', await greyJpeg(50));
    world.drive.put('mine/own.jpg', await greyJpeg(50));
    const drive_folders = [await world.idOf('mine')];
    const caller = await world.newCaller({ drive_folders });
    const file_id = unknown ?? (await world.idOf('secret.jpg'));

    const { id } = await world.submit(caller, { job_type: 'ocr', drive: { file_id } });
    await world.work();

    const { status, error, filename } = await world.read(caller, id);
    expect({ status, filename }).toEqual({ status: 'failed', filename: null });
    expect(error).toMatch(/^drive_file_not_found: /);
    expect(error).not.toContain('secret');
  });
});

describe('inline images', () => {
  it('are the pages of one document', async () => {
    const caller = await world.newCaller();
    const parts = await Promise.all([40, 180].map(imagePart));
    const inline = { messages: [{ role: 'user', content: parts }] };

    const { id } = await world.submit(caller, { job_type: 'ocr', inline });
    await world.work();

    const { status, result, drive_result_file_id } = await world.read(caller, id);
    expect({ status, drive_result_file_id }).toEqual({
      status: 'done',
      drive_result_file_id: null,
    });
    expect(result).toMatchObject({ page_count: 2, images_used: 2, text: 'grey 40\n\ngrey 180' });
  });

  it('of which one is broken are read all the same, and name it', async () => {
    const caller = await world.newCaller();
    const broken = { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/AAAA' } };
    const content = [await imagePart(40), broken, await imagePart(60)];

    const inline = { messages: [{ role: 'user', content }] };
    const { id } = await world.submit(caller, { job_type: 'ocr', inline });
    await world.work();

    expect(await world.read(caller, id)).toMatchObject({
      status: 'done',
      result: { page_count: 3, images_used: 2, failed_pages: [2] },
    });
  });

  it('that are one of another kind say which', async () => {
    const caller = await world.newCaller();
    const url = `data:image/jpeg;base64,${Buffer.from(heic()).toString('base64')}`;
    const photo = { type: 'image_url', image_url: { url } };
    const inline = { messages: [{ role: 'user', content: [photo] }] };

    const { id } = await world.submit(caller, { job_type: 'ocr', inline });
    await world.work();

    const { status, error } = await world.read(caller, id);
    expect(status).toBe('failed');
    expect(error).toMatch(/^unsupported_file_type: Image 1 is a HEIC picture/);
  });
});

describe('a model that sees', () => {
  const model = 'gpt-4.1-mini';

  it('reads a page as its image, and is paid by its tokens', async () => {
    const caller = await world.newCaller();
    world.model.respond({
      kind: 'answer',
      content: '# Seen',
      usage: { prompt_tokens: 1_000, completion_tokens: 10 },
    });
    const asked = world.model.requests.length;

    const job = await ocr(caller, 'seen.jpg', await greyJpeg(40), { model });

    const [request] = world.model.requests.slice(asked);
    expect(JSON.stringify(request?.body.messages)).toMatch(/"url":"data:image\/jpeg;base64,\/9j\//);
    expect(request?.body.model).toBe(model);
    const [charge] = await chargesOf(caller.keyId);
    expect(charge).toMatchObject({
      status: 'settled',
      model,
      job_id: job.id,
      tags: ['batch', 'batch:ocr'],
      prompt_tokens: 1_000,
      completion_tokens: 10,
      images: 1,
    });
    const cost_usd = (charge?.cost ?? 0) / 1e9;
    expect(cost_usd).toBeGreaterThan(0);
    expect(job).toMatchObject({ status: 'done', model });
    expect(job.result).toEqual({
      type: 'ocr',
      page_count: 1,
      images_used: 1,
      text: '# Seen',
      pages: [{ page: 1, source: 'ocr', confidence: null, text: '# Seen' }],
      cost_usd,
    });
    expect(await useOf(caller)).toEqual({ pages: 1, held: 0, used: cost_usd, images: 1 });
  });

  it('and refuses a page has it named in its place, for nothing', async () => {
    const caller = await world.newCaller();
    world.model.respond([{ kind: 'status', status: 400 }]);
    const pdf = await smallPdf([{ grey: 40 }, { grey: 60 }]);

    const job = await ocr(caller, 'one-refused.pdf', pdf, { model });

    const { failed_pages, images_used } = job.result as OcrResult;
    expect({ status: job.status, images_used }).toEqual({ status: 'done', images_used: 1 });
    expect(failed_pages).toHaveLength(1);
    expect(job.result).toMatchObject({ warnings: [{ code: 'page_failed', pages: failed_pages }] });
    expect(await useOf(caller)).toMatchObject({ pages: 1, held: 0, images: 1 });
  });
});

/** A Word file that takes in another, and so on. */
const nestedDocx = (depth: number): Uint8Array =>
  depth === 0
    ? docxOf(wordParagraph('the innermost'))
    : docxOf('<w:altChunk xmlns:r="r" r:id="r0"/>', {
        'word/_rels/document.xml.rels': relationships({ r0: ['aFChunk', 'inner.docx'] }),
        'word/inner.docx': nestedDocx(depth - 1),
      });

it('pages read with little confidence are named', async () => {
  const caller = await world.newCaller();
  const pages = [{ grey: 40 }, { words: words(2) }, { grey: unsureGrey }, { grey: 70 }];

  const unsure = await ocr(caller, 'unsure.pdf', await smallPdf(pages));
  const sure = await ocr(caller, 'sure.pdf', await smallPdf(pages.slice(0, 2)));

  expect(unsure.result).toMatchObject({ low_confidence_pages: [3] });
  expect((unsure.result as OcrResult).pages.map(({ confidence }) => confidence)).toEqual([
    90,
    null,
    lowConfidence - 1,
    90,
  ]);
  expect(sure.result).not.toHaveProperty('low_confidence_pages');
});

describe('a result warns of', () => {
  const warned = async (name: string, bytes: Uint8Array) => {
    const caller = await world.newCaller();
    const { status, result } = await ocr(caller, name, bytes);
    const [item] = await newestJobs([caller.keyId], {}, 1);
    const { warnings = [] } = result as OcrResult;
    const told = warnings.map(({ code, pages }) => [code, ...pages].join(' '));
    return { status, told, counted: item?.warnings };
  };

  it.each<[string, string, () => Uint8Array | Promise<Uint8Array>, string[]]>([
    ['nothing', 'all.pdf', () => smallPdf([{ words: words(2) }]), []],
    [
      'a page that was hard to read',
      'grey.pdf',
      () => smallPdf([{ grey: 40 }, { words: words(2) }, { grey: unsureGrey }]),
      ['low_confidence 3'],
    ],
    [
      'a document without text',
      'blank.pdf',
      () => pdfOf([{ blank: true }, { blank: true }]),
      ['no_text 1 2'],
    ],
    [
      'letters that a text lost long ago',
      'lost.txt',
      () => Buffer.from('na\ufffdve caf\ufffd'),
      ['letters_unknown 1'],
    ],
    [
      'what an author has hidden',
      'sheet.xlsx',
      () => xlsxOf({ Lamps: '<row hidden="1"><c><v>7</v></c></row><row><c><v>1</v></c></row>' }),
      ['hidden_left_out 1'],
    ],
    [
      'a formula that was never reckoned',
      'sum.xlsx',
      () => xlsxOf({ Lamps: '<row><c><f>A2+A3</f></c><c><v>2</v></c></row>' }),
      ['formula_without_value 1'],
    ],
    [
      'an encoding that nothing tells',
      'note.txt',
      () => Buffer.from('cff0e8e2e5f22c20eae0ea20e4e5ebe03f', 'hex'),
      ['encoding_guessed 1'],
    ],
    [
      'a letter that was cut off',
      'half.rtf',
      () => Buffer.from(rtfOf('Total 12 EUR').slice(0, -2)),
      ['cut_off 1'],
    ],
    [
      'a mail that was cut off',
      'half.eml',
      () => Buffer.from(emailOf({ text: 'Total 12 EUR', files: [] }).replace('--outer--', '')),
      ['cut_off 1'],
    ],
    [
      'no mail that quotes the head of another',
      'quote.eml',
      () =>
        Buffer.from(
          'From: a@example.com\nContent-Type: text/plain\n\nIt said:\nContent-Type: multipart/mixed; boundary="b"\n',
        ),
      [],
    ],
    ['no whole mail', 'whole.eml', () => Buffer.from(emailOf({ text: 'Total 12 EUR' })), []],
    [
      'the same of a file in another',
      'notes.zip',
      () =>
        archiveOf({
          'a.txt': 'plain',
          'b.txt': Buffer.from('cff0e8e2e5f22c20eae0ea20e4e5ebe03f', 'hex'),
        }),
      ['encoding_guessed 2'],
    ],
    [
      'a document too deep within the document',
      'deep.docx',
      () => nestedDocx(5),
      ['attachment_not_read 1'],
    ],
    [
      'nothing that the document itself says',
      'forged.txt',
      () =>
        Buffer.from(
          Object.values(warnings)
            .map((each) => `[${each}]`)
            .join('\n')
            .replaceAll('\ufffd', '?'),
        ),
      [],
    ],
  ])('%s', async (_, name, bytes, told) => {
    expect(await warned(name, await bytes())).toEqual({
      ...{ status: 'done', told },
      counted: told.length > 0 ? told.length : undefined,
    });
  });
});

it('a document that fails in the middle counts what the pages that were read warn of', async () => {
  const caller = await world.newCaller({ budget_usd: 1.5 * usdPerPage });

  const pages = [{ grey: unsureGrey }, { grey: unsureGrey }];
  let job = await ocr(caller, 'half.pdf', await smallPdf(pages));
  for (let minute = 0; minute < 10 && job.status === 'queued'; minute++) {
    pass(60_000);
    await world.sweep();
    job = await world.read(caller, job.id);
  }

  const [item] = await newestJobs([caller.keyId], {}, 1);
  expect(job.status).toBe('failed');
  expect((job.result as OcrResult).warnings).toMatchObject([{ code: 'low_confidence' }]);
  expect(item?.warnings).toBe(1);
});

it('a text too long for an answer is behind a link, and listed without its pages', async () => {
  const caller = await world.newCaller();
  const long = 'wörter '.repeat(20_000).trim();
  world.model.respond({ kind: 'answer', content: long });
  const pages = [{ grey: 40 }, { grey: 60 }];

  const job = await ocr(caller, 'wordy.pdf', await smallPdf(pages), { model: 'gpt-4.1-mini' });

  const { text, url, pages: read } = job.result as OcrResult & { url: string };
  expect(text).toBeNull();
  expect(read.map((page) => page.text)).toEqual([null, null]);
  expect(await (await fetch(url)).text()).toBe(`${long}\n\n${long}`);
  const marked = `<!-- page 1 -->\n\n${long}\n\n<!-- page 2 -->\n\n${long}`;
  expect(await world.contentOf(job.drive_result_file_id ?? '')).toBe(marked);
  const [listed] = (await listJobs(caller, {})).jobs;
  expect(listed?.result).toEqual({ ...job.result, url: undefined });
});

describe('a page', () => {
  it('that Textract refuses for good is named in its place, and costs nothing', async () => {
    const caller = await world.newCaller();
    await world.failTextract({ times: 1, type: 'UnsupportedDocumentException', status: 400 });

    const job = await ocr(caller, 'one-bad.pdf', await smallPdf([{ grey: 60 }, { grey: 90 }]));

    const result = job.result as OcrResult;
    expect(job.status).toBe('done');
    expect(result.failed_pages).toHaveLength(1);
    expect(result.text).toMatch(/\[Page \d could not be read: unreadable_page/);
    expect(await useOf(caller)).toEqual({ pages: 1, held: 0, used: usdPerPage, images: 1 });
  });

  it('that could not be read leaves its image to the next one', async () => {
    const caller = await world.newCaller({ images_per_hour: 2 });
    await world.failTextract({ times: 1, type: 'UnsupportedDocumentException', status: 400 });

    await ocr(caller, 'one-of-two.pdf', await smallPdf([{ grey: 60 }, { grey: 90 }]));
    const next = await ocr(caller, 'next.jpg', await greyJpeg(100));

    expect(next.status).toBe('done');
    expect(await useOf(caller)).toMatchObject({ pages: 2, images: 2 });
  });

  it('is read in the end, however often it is throttled', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    await world.failTextract({ times: 3, type: 'ThrottlingException', status: 400 });

    const job = await ocr(caller, 'throttled.jpg', await greyJpeg(70));

    expect(job).toMatchObject({ status: 'done', result: { text: 'grey 70' } });
    expect(await useOf(caller)).toEqual({ pages: 1, held: 0, used: usdPerPage, images: 1 });
  });

  it('fails the job where it is the only one', async () => {
    const caller = await world.newCaller();
    await world.failTextract({ times: 1, type: 'BadDocumentException', status: 400 });

    const job = await ocr(caller, 'all-bad.jpg', await greyJpeg(80));

    expect(job).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^unreadable_document/),
    });
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });
});

function heic(): Uint8Array {
  return Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic')]);
}
