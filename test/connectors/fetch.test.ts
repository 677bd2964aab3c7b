import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { emailOf, epubOf, rtfOf } from '../support/fixtures/common-documents.ts';
import {
  archiveOf,
  docxOf,
  openDocumentOf,
  pptxOf,
  shape,
  wordParagraph,
  xlsxOf,
} from '../support/fixtures/office-files.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { greyJpeg, words } from '../support/fixtures/small-documents.ts';
import { type DocumentReader, useDocumentReader } from '../support/servers/document-reader.ts';
import { type TestDrive, useDrive } from '../support/servers/drive.ts';
import { type ConnectedSearch, useSearch } from './use-search.ts';

let drive: TestDrive;
let quire: ConnectedSearch;
let allowed: string;
let reader: DocumentReader;
/** The objects that there were when each reading began. */
let objectsAtReading: string[][] = [];

beforeAll(async () => {
  drive = await useDrive();
  reader = await useDocumentReader(async ({ objects }) => {
    objectsAtReading.push(await objects());
  });
  quire = await useSearch(drive);
  drive.put('allowed/a/b/deep.txt', 'deep down');
  drive.put('secret/salaries.txt', 'salaries');
  allowed = await drive.idOf('allowed');
});
beforeEach(() => {
  objectsAtReading = [];
  reader.asked.length = 0;
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () => vi.restoreAllMocks();
});

const fetchIds = (...ids: string[]) => quire.fetchDocuments([allowed], ids);

/** Puts a file into the allowed folder and fetches it. */
async function fetchFile(name: string, content: string | Uint8Array) {
  drive.put(`allowed/${name}`, content);
  const shown = name.replace(/\.g(doc|sheet|slides)$/, '');
  const [document] = await fetchIds(await drive.idOf(shown));
  return document;
}

const page = words(1);

describe('the text is read of', () => {
  it.each<[string, string | (() => Uint8Array | Promise<Uint8Array>), string]>([
    ['plain.txt', 'as it is', 'as it is'],
    ['latin.txt', () => Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['marked.md', '# Lamps\n\n*brass*', '# Lamps\n\n*brass*'],
    ['rows.csv', 'a,b\n1,2\n', 'a,b\n1,2'],
    ['data.json', '{"lamp": 1}', '{"lamp": 1}'],
    ['page.html', '<style>x</style><h1>Lamps</h1><p>of <b>bra</b>ss', '# Lamps\n\nof brass'],
    ['code.py', 'print("lamp")', 'print("lamp")'],
    ['Minutes.gdoc', '# Minutes', '# Minutes'],
    ['Figures.gsheet', 'a,b\n1,2\n', 'a,b\n1,2'],
    ['Talk.gslides', 'First slide', 'First slide'],
    ['printed.pdf', () => pdfOf([{ text: page }, { text: words(2) }]), `${page}\n\n${words(2)}`],
    ['letter.docx', () => docxOf(wordParagraph('in Word')), 'in Word'],
    ['talk.pptx', () => pptxOf([{ shapes: shape('', 'said') }]), '## Slide 1\n\nsaid'],
    [
      'list.xlsx',
      () => xlsxOf({ Lamps: '<row><c><v>1</v></c><c><v>2</v></c></row>' }),
      '## Sheet: Lamps\n\n| 1 | 2 |\n| --- | --- |',
    ],
    ['text.odt', () => openDocumentOf('text', '<text:p>in Writer</text:p>'), 'in Writer'],
    ['note.rtf', rtfOf('in RTF'), 'in RTF'],
    ['book.epub', () => epubOf(['<p>in a book</p>']), 'in a book'],
    [
      'mail.eml',
      emailOf({ text: 'in an email' }),
      expect.stringMatching(/^# The lamps\n.*in an email$/s),
    ],
    [
      'papers.zip',
      () => archiveOf({ 'a.txt': 'in an archive', 'b.docx': docxOf(wordParagraph('in it too')) }),
      '--- a.txt ---\nin an archive\n\n--- b.docx ---\nin it too',
    ],
  ])('%s', async (name, content, text) => {
    const bytes = typeof content === 'string' ? content : await content();

    const document = await fetchFile(name, bytes);

    const shown = name.replace(/\.g(doc|sheet|slides)$/, '');
    expect(document).toEqual({
      id: expect.stringMatching(/^[\w-]{33}$/),
      title: shown,
      url: expect.stringMatching(/^https:\/\/(docs|drive)\.google\.com\//),
      text,
    });
  });

  it('a PDF with some scans, which are counted', async () => {
    const scan = await greyJpeg(120);
    const pages = [{ scan }, { text: page }, { blank: true as const }];

    const document = await fetchFile('partly scanned.pdf', await pdfOf(pages));

    expect(document).toHaveProperty(
      'text',
      `${page}\n\n(Left out: 1 of 3 pages, which are scans or pictures.)`,
    );
  });
});

describe('a document is skipped, with the reason, that is', () => {
  it.each<[string, string | (() => Uint8Array | Promise<Uint8Array>), string | RegExp]>([
    [
      'scanned.pdf',
      async () => pdfOf([{ scan: await greyJpeg(120), hiddenText: page }]),
      'it is a scan: read it with an ocr job first',
    ],
    ['photo.jpg', () => greyJpeg(90), 'it is a picture: read it with an ocr job first'],
    ['photo', () => greyJpeg(90), 'it is a picture: read it with an ocr job first'],
    ['song.mp3', 'ID3', 'it is a sound recording'],
    ['film.mp4', 'film', 'it is a video'],
    ['papers.7z', '7z', 'it is an archive'],
    ['papers.tar.gz', 'papers', 'it is an archive'],
    ['program.bin', () => Buffer.alloc(64, 1), /^files of type .* can't be read$/],
    [
      'old.doc',
      () => Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'it is an Office file of an older format, or one with a password',
    ],
    ['empty.txt', ' \n', 'there is no text in it'],
    ['empty.docx', '', 'it is empty: it has no bytes'],
    ['cut.docx', () => docxOf('cut').subarray(0, 100), "it can't be read: its end is missing"],
    [
      'cut.zip',
      () => archiveOf({ a: 'cut' }).subarray(0, 20),
      "it can't be read: its end is missing",
    ],
    [
      'strange.zip',
      () => archiveOf({ a: '\0' }),
      'it is of an unknown type, which is not supported',
    ],
    [
      'pictures.docx',
      async () => docxOf('', { 'word/media/image1.jpg': await greyJpeg(90, 600) }),
      'there is no text in it',
    ],
    ['cut.pdf', '%PDF-1.7', /^it can't be read: /],
    [
      'locked.pdf',
      () => pdfOf([{ text: page }], { userPassword: 'x' }),
      'it is encrypted and opens with a password only. Save a copy without one',
    ],
    ['large.txt', () => Buffer.alloc(20 * 1024 * 1024 + 1, 'x'), 'it is larger than 20 MB'],
    ['large.gdoc', 'x'.repeat(10 * 1024 * 1024 + 1), 'Google exports documents of up to 10 MB'],
  ])('%s', async (name, content, reason) => {
    const bytes = typeof content === 'string' ? content : await content();

    const document = await fetchFile(name, bytes);

    const skipped = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    expect(document).toMatchObject({ title: name.replace('.gdoc', ''), skipped });
    expect(document).not.toHaveProperty('text');
  });
});

describe('a text that is too long is cut', () => {
  it.each([
    ['letters', 'x', 400_000],
    ['signs of three bytes', '字', 266_000],
    ['signs that JSON writes long', '"', 399_000],
    ['pairs', '😀', 200_000],
  ])('of %s', async (_, sign, least) => {
    const document = await fetchFile('long.txt', `a${sign.repeat(600_000)}`);

    const text = document && 'text' in document ? document.text : '';
    expect(text.length).toBeGreaterThanOrEqual(least);
    expect(text.length).toBeLessThanOrEqual(400_000);
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(800_000);
    expect(text.isWellFormed()).toBe(true);
  });
});

describe('a file goes to the function that reads it, and to no parser here,', () => {
  it('within the request', async () => {
    const document = await fetchFile('small.html', '<h1>Lamps</h1>');

    expect(document).toHaveProperty('text', '# Lamps');
    expect(reader.asked).toMatchObject([
      {
        ...{ keyId: 'key_1', name: 'small.html', mimeType: 'text/html' },
        content: { base64: Buffer.from('<h1>Lamps</h1>').toString('base64') },
        limits: { characters: 400_000, jsonBytes: 800_000, longer: 'cut' },
      },
    ]);
    expect(reader.asked[0]?.limits.ms).toBeLessThanOrEqual(25_000);
    expect(objectsAtReading).toEqual([[]]);
  });

  it('behind a link if it is too large for a request, and is deleted afterwards', async () => {
    const document = await fetchFile('large.html', `<h1>Lamps</h1>${' '.repeat(6 * 1024 * 1024)}`);

    expect(document).toHaveProperty('text', '# Lamps');
    expect(reader.asked).toMatchObject([{ content: { url: expect.stringContaining('X-Amz-') } }]);
    expect(objectsAtReading).toEqual([[expect.stringMatching(/^handed-over\/[0-9a-f-]{36}$/)]]);
    expect(await reader.objects()).toEqual([]);
  });
});

describe('the documents come', () => {
  it('in the order asked for, each once, at most six', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `ordered ${n}.txt`);
    for (const name of names) drive.put(`allowed/${name}`, name);
    const ids = await Promise.all(names.map((name) => drive.idOf(name)));
    symlinkSync('ordered 1.txt', join(drive.folder, 'allowed/to ordered'));
    const [first = '', second = '', ...rest] = ids;

    const documents = await fetchIds(
      second,
      first,
      await drive.idOf('to ordered'),
      second,
      ...rest,
    );

    expect(documents.map(({ title }) => title)).toEqual(
      [1, 0, 2, 3, 4].map((n) => `ordered ${n}.txt`),
    );
  });

  it('without those that the key may not read, as if they did not exist', async () => {
    const [salaries, deep] = [await drive.idOf('salaries.txt'), await drive.idOf('deep.txt')];
    symlinkSync('../secret/salaries.txt', join(drive.folder, 'allowed/to salaries'));
    const link = await drive.idOf('to salaries');
    const others = [await drive.idOf('secret'), allowed, drive.rootFolderId];

    const documents = await fetchIds(salaries, link, deep, `1${'x'.repeat(32)}`);
    const folders = await fetchIds(...others, '../about', "x' or 'y");

    expect(documents.map(({ title }) => title)).toEqual(['deep.txt']);
    expect(folders).toEqual([]);
  });

  it('without one that was moved out after it was found', { tags: 'exhaustive' }, async () => {
    drive.put('allowed/moving/moved.txt', 'itinerant');
    const [hit] = await quire.searchDocuments([allowed], ['itinerant']);
    const before = await fetchIds(hit?.id ?? '');

    drive.move('allowed/moving/moved.txt', 'secret');

    expect(before).toHaveLength(1);
    expect(await fetchIds(hit?.id ?? '')).toEqual([]);
  });

  it('of an allowed file alone', async () => {
    const single = await drive.idOf('salaries.txt');

    const documents = await quire.fetchDocuments([single], [single, await drive.idOf('deep.txt')]);

    expect(documents).toMatchObject([{ title: 'salaries.txt', text: 'salaries' }]);
  });

  it('without any for a key without folders, and for no ids', async () => {
    expect(await quire.fetchDocuments([], [await drive.idOf('deep.txt')])).toEqual([]);
    expect(await fetchIds()).toEqual([]);
  });
});
