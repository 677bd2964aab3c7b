import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import type {
  ChatResult,
  OcrResult,
  PipelineResult,
} from '../../../../shared/jobs/results/result.ts';
import type { JobRecord } from '../../../../shared/jobs/routes/record.ts';
import { bmpOf } from '../../../support/fixtures/bmps.ts';
import { emailOf, epubOf, rtfOf } from '../../../support/fixtures/common-documents.ts';
import {
  archiveOf,
  docxOf,
  openDocumentOf,
  pptxOf,
  shape,
  wordParagraph,
  xlsxOf,
} from '../../../support/fixtures/office-files.ts';
import { greyJpeg, smallPdf, words } from '../../../support/fixtures/small-documents.ts';
import { some } from '../../../support/run/cases.ts';
import { useFreshHour } from '../../../support/worlds/clock.ts';
import { usdPerPage, useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

useFreshHour();

/** A page that is only a picture. */
let scan: Uint8Array;
let pdf: Uint8Array;

beforeAll(async () => {
  scan = await greyJpeg(120, 600);
  pdf = await smallPdf([{ words: words(1) }, { grey: 200 }]);
});

async function run(
  caller: Caller,
  name: string,
  content: Uint8Array | string,
  rest: object = {},
): Promise<JobRecord> {
  const drive = { file_id: await world.add(name, content) };
  const { id } = await world.submit(caller, { job_type: 'auto', drive, ...rest });
  await world.work();
  return world.read(caller, id);
}

/** What is read of a page: its file if it is one within the document, where from, and what. */
const pagesOf = ({ result }: JobRecord) =>
  (result as OcrResult).pages.map(({ part, source, text, error }) => [
    part,
    source,
    text?.replace(/\s+/g, ' ') ?? error,
  ]);

const cell = (text: string) => `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`;
const paragraph = (text: string) => `<text:p>${text}</text:p>`;
const formats: [name: string, bytes: Uint8Array | string, text: string][] = [
  ['letter.docx', docxOf(wordParagraph('Dear Amina')), 'Dear Amina'],
  ['deck.pptx', pptxOf([{ shapes: shape('<p:ph type="title"/>', 'Lamps') }]), '## Slide 1: Lamps'],
  ['book.xlsx', xlsxOf({ Prices: cell('brass') }), '## Sheet: Prices\n\nbrass'],
  ['letter.odt', openDocumentOf('text', paragraph('Dear Amina')), 'Dear Amina'],
  [
    'deck.odp',
    openDocumentOf(
      'presentation',
      `<draw:page><draw:frame>${paragraph('Brass')}</draw:frame></draw:page>`,
    ),
    '## Slide 1\n\nBrass',
  ],
  [
    'book.ods',
    openDocumentOf(
      'spreadsheet',
      `<table:table table:name="Prices"><table:table-row><table:table-cell>${paragraph('brass')}</table:table-cell></table:table-row></table:table>`,
    ),
    '## Sheet: Prices\n\nbrass',
  ],
  ['letter.rtf', rtfOf('\\pard\\outlinelevel0 Lamps\\par\\pard of brass'), '# Lamps\n\nof brass'],
  ['page.html', '<!doctype html><h1>Lamps</h1><ul><li>brass</ul>', '# Lamps\n\n- brass'],
  ['book.epub', epubOf(['<h1>One</h1>', '<p>two</p>']), '# One\n\ntwo'],
  [
    'mail.eml',
    emailOf({ text: 'See you.' }),
    '# The lamps\n\nFrom: Jürgen <juergen@example.com>\nTo: Amina Okafor <amina@example.com>, sales@example.com\nDate: 2026-06-02T10:00:00.000Z\n\nSee you.',
  ],
  ['pack.zip', archiveOf({ 'a.txt': 'words' }), '--- a.txt ---\nwords'],
];

describe('a document of each format', () => {
  it.each(some(3, formats))(
    '%s is put to a model as text, by auto and by chat',
    async (name, bytes, text) => {
      const caller = await world.newCaller();

      const auto = await run(caller, `auto ${name}`, bytes);
      const chat = await run(caller, `chat ${name}`, bytes, { job_type: 'chat' });

      for (const job of [auto, chat]) {
        expect(job).toMatchObject({
          status: 'done',
          error: null,
          model: 'gpt-5-mini',
          result: { type: 'chat', content: `echo: ${text}` },
        });
      }
    },
  );

  it.each(some(3, formats))(
    '%s is one page of text for OCR, which costs nothing',
    async (name, bytes, text) => {
      const caller = await world.newCaller();

      const job = await run(caller, `ocr ${name}`, bytes, { job_type: 'ocr' });

      expect(job).toMatchObject({ status: 'done', error: null });
      const part = name === 'pack.zip' && { part: 'a.txt' };
      expect(job.result).toEqual({
        type: 'ocr',
        page_count: 1,
        images_used: 0,
        text,
        pages: [
          {
            ...{ page: 1, source: 'text_layer', confidence: null },
            ...part,
            text: part ? 'words' : text,
          },
        ],
        cost_usd: 0,
      });
      expect(await world.contentOf(job.drive_result_file_id ?? '')).toBe(
        `<!-- page 1 -->\n\n${text}`,
      );
      expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
    },
  );

  it.each<[string, () => Uint8Array]>([
    ['a.gif', gif],
    ['a.bmp', () => bmpOf(24)],
  ])('%s is read as a picture', async (name, bytes) => {
    const caller = await world.newCaller();

    const job = await run(caller, name, bytes());

    expect(job.result).toMatchObject({ type: 'ocr', page_count: 1, images_used: 1 });
  });

  it('is told by its content, whatever its name says', async () => {
    const caller = await world.newCaller();
    const types: [string, Uint8Array | string, string][] = [
      ['wrong.pdf', docxOf(wordParagraph('A letter')), 'chat'],
      ['wrong.txt', await greyJpeg(40), 'ocr'],
      ['wrong.docx', 'Plain words.', 'chat'],
      ['wrong.jpg', rtfOf('Words'), 'chat'],
      ['wrong.xlsx', await smallPdf([{ words: words(1) }]), 'ocr'],
      ['wrong.png', '<html><p>Words</html>', 'chat'],
      ['no name at all', emailOf({ text: 'Words' }), 'chat'],
    ];

    for (const [name, bytes, type] of types) {
      const job = await run(caller, name, bytes);
      expect([name, job.error, job.result?.type]).toEqual([name, null, type]);
    }
  });
});

describe('a document with others in it', () => {
  it('is read page by page, each under its name, where one of them is a PDF or a picture', async () => {
    const caller = await world.newCaller();
    const mail = emailOf({
      text: 'See the scans.',
      files: [
        { name: 'offer.pdf', type: 'application/pdf', bytes: pdf },
        { name: 'photo.jpg', type: 'image/jpeg', bytes: scan },
        { name: 'list.csv', type: 'text/csv', bytes: 'lamp,price' },
        { name: 'film.mp4', type: 'video/mp4', bytes: '\0\0\0\x10ftypisom\0\0\0\0' },
      ],
    });

    const job = await run(caller, 'scans.eml', mail);

    expect(pagesOf(job)).toEqual([
      [undefined, 'text_layer', expect.stringMatching(/^# The lamps .* See the scans\.$/)],
      ['offer.pdf', 'text_layer', words(1)],
      ['offer.pdf', 'ocr', 'grey 200'],
      ['photo.jpg', 'ocr', 'grey 120'],
      ['list.csv', 'text_layer', 'lamp,price'],
      ['film.mp4', 'ocr', 'unsupported_file_type: It is a video, which is not supported.'],
    ]);
    expect(job.result).toMatchObject({ images_used: 2, failed_pages: [6] });
    expect((job.result as OcrResult).text).toMatch(
      /See the scans\.\n\n--- offer\.pdf ---\n[^-]*\n\ngrey 200\n\n--- photo\.jpg ---\ngrey 120\n\n--- list\.csv ---\nlamp,price\n\n--- film\.mp4 ---\n\[Page 6 could not be read/,
    );
    expect(await useOf(caller)).toMatchObject({ pages: 2, used: 2 * usdPerPage, images: 2 });
  });

  it('is put to a model as far as it is text, by chat', async () => {
    const caller = await world.newCaller();
    const zip = archiveOf({ 'a.txt': 'words', 'b.pdf': pdf, 'c.jpg': scan });

    const job = await run(caller, 'mixed.zip', zip, { job_type: 'chat' });

    expect((job.result as ChatResult).content?.replace(/\s+/g, ' ')).toBe(
      `echo: --- a.txt --- words --- b.pdf --- ${words(1)} [A picture, which was not read.] --- c.jpg --- [A picture, which was not read.]`,
    );
    expect((job.result as ChatResult).warnings).toMatchObject([
      { code: 'part_not_read', pages: [3, 4] },
    ]);
    expect((await useOf(caller)).images).toBe(0);
  });

  it('goes through a pipeline as a whole', async () => {
    const caller = await world.newCaller();
    const zip = archiveOf({ 'a.docx': docxOf(wordParagraph('words')), 'b.jpg': scan });

    const job = await run(caller, 'piped.zip', zip, {
      job_type: 'ocr',
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'Sum up.',
    });

    const { ocr, chat } = job.result as PipelineResult;
    expect(ocr).toMatchObject({ page_count: 2, images_used: 1 });
    expect(chat?.content).toBe('echo: Sum up.\n\n--- a.docx ---\nwords\n\n--- b.jpg ---\ngrey 120');
  });

  it('of many pages is read in parts', async () => {
    const caller = await world.newCaller();
    const files = Array.from({ length: 120 }, (_, n) => [`${n}.txt`, `words of ${n}`]);

    const job = await run(caller, 'many.zip', archiveOf(Object.fromEntries(files)), {
      job_type: 'ocr',
    });

    expect(pagesOf(job)).toEqual(files.map(([name, text]) => [name, 'text_layer', text]));
  });
});

describe('the pictures of a document', () => {
  const withPicture = () => docxOf(wordParagraph('Words'), { 'word/media/image1.jpg': scan });

  it('beside its text are read where OCR is forced', async () => {
    const caller = await world.newCaller();

    const plain = await run(caller, 'plain.docx', withPicture(), { job_type: 'ocr' });
    const forced = await run(caller, 'forced.docx', withPicture(), { force_ocr: true });

    expect(pagesOf(plain)).toEqual([[undefined, 'text_layer', 'Words']]);
    expect(pagesOf(forced)).toEqual([
      [undefined, 'text_layer', 'Words'],
      ['picture 1', 'ocr', 'grey 120'],
    ]);
    expect((await useOf(caller)).images).toBe(1);
  });

  it('are read where it has no text', async () => {
    const caller = await world.newCaller();
    const scanned = docxOf('', { 'word/media/image1.jpg': scan });

    const auto = await run(caller, 'scanned.docx', scanned);
    const chat = await run(caller, 'scanned too.docx', scanned, { job_type: 'chat' });

    expect(pagesOf(auto)).toEqual([['picture 1', 'ocr', 'grey 120']]);
    expect(chat).toMatchObject({ status: 'failed', retry_count: 0 });
    expect(chat.error).toBe(
      'no_text: scanned too.docx has no text that can be read without OCR: read it with a batch job of job_type ocr, or with the pipeline ocr_then_chat.',
    );
  });
});

describe('a hostile document fails alone', () => {
  it.each(
    some<[string, () => Uint8Array, RegExp]>(2, [
      ['bomb.zip', () => archiveOf({ 'zeros.txt': new Uint8Array(60_000_000) }), /too large/],
      ['escape.zip', () => archiveOf({ '../a.txt': 'a' }), /unsafe name/],
      [
        'entities.docx',
        () => docxOf('', { 'word/document.xml': '<!DOCTYPE d [<!ENTITY a "a">]><w:document/>' }),
        /XML is broken/,
      ],
      ['cut.docx', () => docxOf(wordParagraph('a')).subarray(0, 500), /end is missing/],
    ]),
  )('%s', async (name, bytes, error) => {
    const caller = await world.newCaller();
    const content = bytes();

    for (const job_type of ['ocr', 'auto', 'chat']) {
      const job = await run(caller, name, content, { job_type });

      expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
      expect(job.error).toMatch(/^unreadable_document: (?!.*unreadable_document)/);
      expect(job.error).toMatch(error);
    }
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });
});

it('a folder has a job for each file that a job can be done on, by content where the name says no', {
  tags: 'exhaustive',
}, async () => {
  const path = 'documents people have';
  for (const [name, bytes] of formats) world.drive.put(`${path}/${name}`, bytes);
  world.drive.put(`${path}/film.mp4`, pdf);
  world.drive.put(`${path}/notes.txt`, scan);
  world.drive.put(`${path}/words.txt`, 'Only words.');
  const folder_id = await world.idOf(path);
  const caller = await world.newCaller({ drive_folders: [folder_id] });

  const { id } = await world.submit(caller, { job_type: 'ocr', drive: { folder_id } });
  await world.work();

  const { result } = await world.read(caller, id);
  expect(result).toMatchObject({
    files: { found: formats.length + 3, done: formats.length + 3, failed: 0, unsupported: 0 },
    failed_files: [],
  });
});

/** A GIF of one dark pixel. */
function gif(): Uint8Array {
  return Buffer.from(
    '4749463839610100010080000000000000000021f90401000000002c00000000010001000002024401003b',
    'hex',
  );
}
