import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompositeKind } from '../../shared/documents/kind.ts';
import { documentTexts } from '../../shared/documents/parts/document-texts.ts';
import { extractParts } from '../../shared/documents/parts/extraction.ts';
import { openDocument } from '../../shared/documents/parts/open-document.ts';
import { takeApart, takingProcess } from '../../shared/documents/parts/take-apart.ts';
import { emailOf, epubOf, rtfOf } from '../support/fixtures/common-documents.ts';
import {
  archiveOf,
  docxOf,
  openDocumentOf,
  pptxOf,
  relationships,
  shape,
  wordParagraph,
  xlsxOf,
} from '../support/fixtures/office-files.ts';
import { greyJpeg, smallPdf, words } from '../support/fixtures/small-documents.ts';
import { commandLine, startedBy } from '../support/servers/processes.ts';

const root = mkdtempSync(join(tmpdir(), 'quire-parts-'));
const limits = { pages: 1_000, characters: 1_000_000, turn: 'key' };
/** Noise takes more than the least that a picture has. */
let photo: Uint8Array;

beforeAll(async () => {
  photo = await greyJpeg(120, 600);
});
afterAll(() => rmSync(root, { recursive: true }));

let files = 0;

function fileOf(bytes: Uint8Array | string): string {
  const path = join(root, String(++files));
  writeFileSync(path, bytes);
  return path;
}

/** What a document's parts are: each one's name with its text, its kind, or why it can't be read. */
async function partsOf(
  bytes: Uint8Array | string,
  kind: CompositeKind = 'archive',
  forceOcr = false,
) {
  const folder = mkdtempSync(join(root, 'parts-'));
  const parts = await extractParts({ path: fileOf(bytes), kind, folder, forceOcr });
  return parts.map((part) => [
    part.name,
    part.is === 'text' ? part.text : part.is === 'pages' ? part.kind : part.error.message,
  ]);
}

const refused = (why: string, code = 'unreadable_document') =>
  expect.objectContaining({ statusCode: 422, code, message: expect.stringContaining(why) });

describe('an archive of files', () => {
  it('has each of them as a part under its path, told by its content', async () => {
    const pdf = await smallPdf([{ words: words(1) }]);
    const zip = archiveOf({
      'notes/': '',
      'notes/a.txt': 'Plain words.',
      'letter.pdf': docxOf(wordParagraph('A letter')),
      'sheet.bin': xlsxOf({ One: '<row><c t="inlineStr"><is><t>cell</t></is></c></row>' }),
      'page.txt': '<!doctype html><h1>Lamps</h1>',
      'scan.docx': pdf,
      'photo.txt': photo,
      '__MACOSX/notes/._a.txt': 'not of people',
      '.git/config': 'nor this',
      'Thumbs.db': 'nor this',
    });

    expect(await partsOf(zip)).toEqual([
      ['notes/a.txt', 'Plain words.'],
      ['letter.pdf', 'A letter'],
      ['sheet.bin', '## Sheet: One\n\ncell'],
      ['page.txt', '# Lamps'],
      ['scan.docx', 'pdf'],
      ['photo.txt', 'image'],
    ]);
  });

  it('may hold archives and emails, to a depth', async () => {
    const third = archiveOf({ 'c.txt': 'third', 'd.zip': archiveOf({ 'e.txt': 'too deep' }) });
    const second = archiveOf({ 'third.zip': third });
    const first = emailOf({
      text: 'See there.',
      files: [{ name: 'in.zip', type: 'application/zip', bytes: archiveOf({ 'b.txt': 'second' }) }],
    });

    const parts = await partsOf(archiveOf({ 'second.zip': second, 'mail.eml': first }));

    expect(parts).toEqual([
      ['second.zip/third.zip/c.txt', 'third'],
      ['second.zip/third.zip/d.zip', expect.stringContaining('too deep within')],
      ['mail.eml', expect.stringMatching(/^# The lamps[\s\S]*See there\.$/)],
      ['mail.eml/in.zip/b.txt', 'second'],
    ]);
  });

  it('whose files are bad has the others', async () => {
    const secret = Buffer.from(archiveOf({ 'in.txt': 'secret' }));
    secret.writeUInt16LE(1, secret.indexOf('PK\x01\x02') + 8);
    const bomb = zipSync({ 'zeros.txt': new Uint8Array(40_000_000) });
    const zip = archiveOf({
      'film.mp4': Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'),
      'empty.txt': '',
      'cut.docx': docxOf(wordParagraph('cut')).subarray(0, 300),
      'escape.zip': archiveOf({ '../../etc/passwd': 'x' }),
      'entities.docx': docxOf('', {
        'word/document.xml':
          '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><w:document>&b;</w:document>',
      }),
      'secret.zip': secret,
      'bomb.zip': bomb,
      'good.txt': 'good',
    });

    expect(await partsOf(zip)).toEqual([
      ['film.mp4', 'It is a video, which is not supported.'],
      ['empty.txt', expect.stringContaining('empty')],
      ['cut.docx', expect.stringContaining('its end is missing')],
      ['escape.zip', expect.stringContaining('unsafe name')],
      ['entities.docx', expect.stringContaining('XML is broken')],
      ['secret.zip/in.txt', expect.stringContaining('password')],
      ['bomb.zip/zeros.txt', expect.stringContaining('too large when it is unpacked')],
      ['good.txt', 'good'],
    ]);
  });

  it('has each file whose name is in an old code page', async () => {
    const zip = Buffer.from(archiveOf({ M1ller: 'one', M2ller: 'two', '3_': 'three' }));
    const names = { M1ller: 'M\x81ller', M2ller: 'M\x94ller', '3_': '\x95\\' };
    let bytes = zip.toString('latin1');
    // The last one is one character in Shift JIS, whose second half is a backslash.
    for (const [name, old] of Object.entries(names)) bytes = bytes.replaceAll(name, old);

    expect(await partsOf(Buffer.from(bytes, 'latin1'))).toEqual([
      ['Müller', 'one'],
      ['Möller', 'two'],
      ['ò_', 'three'],
    ]);
  });

  it('counts what is unpacked of all archives in it together', async () => {
    const log = Buffer.from(randomBytes(13_000_000).toString('hex'));
    const inner = zipSync({ 'log.txt': log }, { level: 0 });
    const zip = zipSync({ 'a.zip': inner, 'b.zip': inner }, { level: 0 });

    const parts = await partsOf(zip);

    expect(parts.map(([name]) => name)).toEqual(['a.zip/log.txt', 'b.zip/log.txt']);
    expect(parts[1]?.[1]).toContain('too large when it is unpacked');
  });

  it('has the others where a text is longer than 20 million characters', async () => {
    const texts = { 'fits.txt': 20_000_000, 'long.txt': 20_000_001, 'short.txt': 1 };
    const files = Object.entries(texts).map(([name, length]) => [name, Buffer.alloc(length, 'a')]);
    const zip = zipSync(Object.fromEntries(files), { level: 0 });

    const parts = await partsOf(zip);

    expect(parts.map(([name, text]) => [name, text?.slice(0, 99)])).toEqual([
      ['fits.txt', 'a'.repeat(99)],
      ['long.txt', "The document can't be read: it is too long to be read as a whole."],
      ['short.txt', 'a'],
    ]);
  });

  it('of as many files as there may be has them all', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `${n}.txt`);

    const parts = await partsOf(archiveOf(Object.fromEntries(names.map((name) => [name, name]))));

    expect(parts.map(([name]) => name)).toEqual(names);
  });

  it('its pictures count as parts too', async () => {
    const picture = `<img src="data:image/jpeg;base64,${Buffer.from(photo).toString('base64')}">`;
    const page = (pictures: number) => `<p>words</p>${picture.repeat(pictures)}`;

    expect(await partsOf(page(499), 'html', true)).toHaveLength(500);
    await expect(partsOf(page(500), 'html', true)).rejects.toEqual(refused('more than 500 parts'));
  });

  it.each<[string, () => Uint8Array, string, string?]>([
    ['is empty', () => archiveOf({}), 'no files', 'empty_document'],
    ['holds folders alone', () => archiveOf({ 'a/': '' }), 'no files', 'empty_document'],
    [
      'has too many files',
      () => archiveOf(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`${n}.txt`, 'a']))),
      'more than 500 parts',
    ],
    ['has files outside of it', () => archiveOf({ '../a.txt': 'a' }), 'unsafe name'],
    ['is cut off', () => archiveOf({ 'a.txt': 'a' }).subarray(0, 40), 'end is missing'],
    ['is larger than is read', () => new Uint8Array(51 * 1024 * 1024), 'larger than 50 MB'],
  ])('that %s is refused', async (_, bytes, why, code) => {
    await expect(partsOf(bytes())).rejects.toEqual(refused(why, code));
  });
});

describe('pictures of a document', () => {
  const image = { rId9: ['image', '../media/image1.jpg'] as [string, string] };
  const deck = () =>
    pptxOf([{ shapes: shape('<p:ph type="title"/>', 'Lamps') }, { shapes: '' }], {
      'ppt/slides/_rels/slide1.xml.rels': relationships(image),
      'ppt/media/image1.jpg': photo,
    });

  it('are left out beside its text, unless OCR is forced', async () => {
    const docx = docxOf(wordParagraph('Text'), {
      'word/media/image10.jpg': photo,
      'word/media/image2.png': photo,
      'word/media/image3.emf': 'a drawing',
      'word/media/bullet.png': photo.subarray(0, 300),
    });

    expect(await partsOf(docx)).toEqual([['', 'Text']]);
    expect(await partsOf(docx, 'archive', true)).toEqual([
      ['', 'Text'],
      ['picture 1', 'image'],
      ['picture 2', 'image'],
    ]);
  });

  it.each<[string, CompositeKind, () => Uint8Array | string]>([
    ['a Word document', 'archive', () => docxOf('', { 'word/media/a.jpg': photo })],
    ['an e-book', 'archive', () => epubOf(['<img src="a.jpg"/>'], { 'a.jpg': photo })],
    [
      'a web page',
      'html',
      () => `<html><img src="data:image/jpeg;base64,${Buffer.from(photo).toString('base64')}">`,
    ],
    [
      'an RTF document',
      'rtf',
      () => rtfOf(`{\\pict\\jpegblip ${Buffer.from(photo).toString('hex')}}`),
    ],
  ])('of %s without text are its pages', async (_, kind, bytes) => {
    expect(await partsOf(bytes(), kind)).toEqual([['picture 1', 'image']]);
  });

  it('that are all there is on a slide are pages', async () => {
    expect(await partsOf(deck())).toEqual([
      ['', '## Slide 1: Lamps\n\n## Slide 2'],
      ['picture 1', 'image'],
    ]);
  });

  it('in the text of an email are no attachments', async () => {
    const email = emailOf({
      html: '<p>Hello</p><img src="cid:logo">',
      files: [
        { name: 'logo.jpg', type: 'image/jpeg', bytes: photo, contentId: 'logo' },
        { name: 'C:/scans/scan.jpg', type: 'image/jpeg', bytes: photo },
      ],
    });

    expect(await partsOf(email, 'email')).toEqual([
      ['', expect.stringMatching(/Hello$/)],
      ['scan.jpg', 'image'],
    ]);
  });
});

describe('an email', () => {
  it('says who wrote what to whom, and has its attachments by their names', async () => {
    const email = emailOf({
      text: 'the plain text',
      html: '<p>Dear Amina,</p><table><tr><td>Lamp<td>Price<tr><td>brass<td>12 €</table>',
      files: [
        { name: 'offer.docx', type: 'application/msword', bytes: docxOf(wordParagraph('Offer')) },
        { type: 'message/rfc822', bytes: emailOf({ text: 'forwarded' }) },
        { name: 'smime.p7s', type: 'application/pkcs7-signature', bytes: 'signature' },
        { name: '../../evil.txt', type: 'text/plain', bytes: 'words' },
      ],
    });

    expect(await partsOf(email, 'email')).toEqual([
      [
        '',
        '# The lamps\n\nFrom: Jürgen <juergen@example.com>\nTo: Amina Okafor <amina@example.com>, sales@example.com\nDate: 2026-06-02T10:00:00.000Z\n\nDear Amina,\n\n| Lamp | Price |\n| --- | --- |\n| brass | 12 € |',
      ],
      ['offer.docx', 'Offer'],
      ['message.eml', expect.stringMatching(/forwarded$/)],
      ['evil.txt', 'words'],
    ]);
  });

  it('whose parts are nested without end is refused', async () => {
    const nested = Array.from(
      { length: 200 },
      (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\n\n--b${n}\n`,
    );

    await expect(partsOf(`From: a@b.c\n${nested.join('')}`, 'email')).rejects.toEqual(
      refused('no valid email'),
    );
  });
});

describe('an e-book', () => {
  it('is its chapters in reading order', async () => {
    const epub = epubOf(['<h1>One</h1><p>first &amp; foremost</p>', '<h1>Two</h1>']);

    expect(await partsOf(epub)).toEqual([['', '# One\n\nfirst & foremost\n\n# Two']]);
  });

  it('has chapters of any type that is written for them', async () => {
    const types = ['text/xml', 'text/x-oeb1-document', 'application/XHTML+XML', 'image/png'];
    const names = types.map((_, n) => `chapter ${n}`);
    const items = types.map((type, n) => `<item id="c${n}" href="${n}" media-type="${type}"/>`);
    const spine = types.map((_, n) => `<itemref idref="c${n}"/>`);
    const epub = epubOf([], {
      'OPS/book.opf': `<package><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
      ...Object.fromEntries(names.map((name, n) => [`OPS/${n}`, `<p>${name}</p>`])),
    });

    expect(await partsOf(epub)).toEqual([['', 'chapter 0\n\nchapter 1\n\nchapter 2']]);
  });

  it('whose chapters are encrypted is refused, and one with garbled fonts is not', async () => {
    const encrypted = (uri: string) => ({
      'META-INF/encryption.xml': `<encryption><e:CipherReference xmlns:e="e" URI="${uri}"/></encryption>`,
    });

    await expect(
      partsOf(epubOf(['<p>a</p>'], encrypted('OPS/Text/chapter%201.xhtml'))),
    ).rejects.toEqual(refused('password', 'encrypted_document'));
    expect(await partsOf(epubOf(['<p>a</p>'], encrypted('OPS/font.otf')))).toEqual([['', 'a']]);
  });
});

describe('the process that takes a document apart', () => {
  const processes = new Map<number, ReturnType<typeof takingProcess>>();
  const processOf = (heapMb: number) => {
    const process = processes.get(heapMb) ?? takingProcess(heapMb);
    processes.set(heapMb, process);
    return process;
  };
  afterAll(() => Promise.all([...processes.values()].map((process) => process.end())));

  const inProcess = (bytes: Uint8Array | string, kind: CompositeKind, ms: number, heapMb: number) =>
    takeApart(
      { path: fileOf(bytes), kind, folder: mkdtempSync(join(root, 'parts-')), forceOcr: false },
      { turn: 'key' },
      { ms, process: processOf(heapMb) },
    );

  it('passes on what is wrong with it, and with the files in it', async () => {
    const zip = archiveOf({ 'a.docx': 'PK\x03\x04', 'b.txt': 'b' });
    const [bad] = await inProcess(zip, 'archive', 30_000, 512);

    expect(bad).toMatchObject({
      name: 'a.docx',
      is: 'unreadable',
      error: { code: 'unreadable_document' },
    });
    await expect(inProcess(archiveOf({}), 'archive', 30_000, 512)).rejects.toEqual(
      refused('no files', 'empty_document'),
    );
  });

  it('reads sheets whose cells stand far to the right, or for very many, in little memory', async () => {
    const cell = (columns: number, text: string) =>
      `<table:table-cell table:number-columns-repeated="${columns}">${text}</table:table-cell>`;
    const row = (repeats: number, cells: string) =>
      `<table:table-row table:number-rows-repeated="${repeats}">${cells}</table:table-row>`;
    const far = row(1, cell(16_383, '') + cell(1, '<text:p>far</text:p>')).repeat(1_000);
    const many = row(1_000, cell(1_000, '<text:p>x</text:p>')).repeat(2);
    const file = openDocumentOf('spreadsheet', `<table:table>${far}${many}</table:table>`);

    const [part] = await inProcess(file, 'archive', 30_000, 64);

    expect(part).toMatchObject({ is: 'text', text: expect.stringMatching(/ far \|\n.* x \|/s) });
  });

  it('is stopped when its time is up, and the next one is read', async () => {
    const endless = rtfOf('{a}'.repeat(3_000_000));

    await expect(inProcess(endless, 'rtf', 300, 512)).rejects.toEqual(refused('too long'));
    expect(await inProcess(rtfOf('a'), 'rtf', 30_000, 512)).toMatchObject([{ text: 'a' }]);
  });

  it('is kept for the next one, unless it took much memory', async () => {
    const processesAfter = async (characters: number) => {
      await inProcess(rtfOf('a'.repeat(characters)), 'rtf', 30_000, 512);
      return startedBy(process.pid).filter((id) => commandLine(id).includes('take-apart-process'));
    };

    const first = await processesAfter(9);
    expect(await processesAfter(9)).toEqual(first);
    expect((await processesAfter(30e6)).length).toBe(first.length - 1);
  });

  it('ends where it takes too much memory', { tags: 'exhaustive' }, async () => {
    const heavy = rtfOf(`{\\pict\\pngblip ${'0\\par '.repeat(2_000_000)}}`);

    await expect(inProcess(heavy, 'rtf', 60_000, 16)).rejects.toEqual(refused('too much memory'));
  });
});

describe('a document that is taken apart', () => {
  it('is read page by page, each file under its name, and leaves nothing behind', {
    tags: 'exhaustive',
  }, async () => {
    const pdf = await smallPdf([{ words: words(1) }, { grey: 90 }]);
    const path = fileOf(archiveOf({ 'a.txt': 'first', 'b.pdf': pdf, 'c.zip': 'PK\x03\x04' }));
    const before = readdirSync(root).length;

    const document = await openDocument(path, 'archive', { turn: 'key' });
    const pages = [];
    for (let page = 1; page <= 3; page++) {
      pages.push(Object.keys(await document.readPage(page))[0]);
    }
    await expect(document.readPage(4)).rejects.toEqual(refused('its end is missing'));
    await expect(document.readPage(5)).rejects.toBeInstanceOf(RangeError);
    document.close();

    expect(pages).toEqual(['textLayer', 'textLayer', 'jpeg']);
    expect(document).toMatchObject({
      pageCount: 4,
      isText: false,
      parts: [
        { name: 'a.txt', first: 1, last: 1 },
        { name: 'b.pdf', first: 2, last: 3 },
        { name: 'c.zip', first: 4, last: 4 },
      ],
    });
    await expect.poll(() => readdirSync(root).length).toBe(before);
  });

  it('has a text without OCR, which says what it lacks', async () => {
    const pdf = await smallPdf([{ words: words(1) }, { grey: 90 }]);
    const zip = archiveOf({ 'a.pdf': pdf, 'b.jpg': photo, 'c.zip': 'PK\x03\x04' });
    const before = readdirSync(root).length;

    const pages = await documentTexts(fileOf(zip), 'archive', 'a.zip', limits);

    expect(pages.map(({ text }) => text.replace(/\s+/g, ' '))).toEqual([
      `--- a.pdf --- ${words(1)}`,
      '[A picture, which was not read.]',
      '--- b.jpg --- [A picture, which was not read.]',
      expect.stringContaining("--- c.zip --- [The document can't be read"),
    ]);
    expect(pages.map(({ warnings = [] }) => warnings[0])).toEqual([
      undefined,
      ...Array(3).fill('part_not_read'),
    ]);
    expect(readdirSync(root).length).toBe(before + 1);
  });

  it('is refused where its text is longer than allowed', async () => {
    const zip = archiveOf({ 'a.txt': 'a'.repeat(60), 'b.txt': 'b'.repeat(60) });
    const texts = (pages: number, characters: number) =>
      documentTexts(fileOf(zip), 'archive', 'a.zip', { pages, characters, turn: 'key' });

    await expect(texts(10, 100)).rejects.toEqual(refused('too long'));
    await expect(texts(1, 1_000)).rejects.toEqual(refused('too long'));
    expect(await texts(2, 120)).toHaveLength(2);
  });
});
