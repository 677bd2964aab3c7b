import { beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../shared/http/errors.ts';
import { cutOff, pdfOf } from '../support/fixtures/pdfs.ts';
import { letters, report } from '../support/fixtures/sample-texts.ts';
import { scanOf } from '../support/fixtures/scans.ts';
import { open } from './open-bytes.ts';

const text = letters[0] ?? '';
let scan: Uint8Array;
let whole: Buffer;

beforeAll(async () => {
  scan = await scanOf({ text: report[1].text, dpi: 100 });
  whole = Buffer.from(await pdfOf([{ text }, { text }, { scan }, { text }]));
});

/** The first of the file's streams whose dictionary has this in it. */
function streamOf(file: Buffer, mark: string | RegExp): { start: number; end: number } {
  const latin1 = file.toString('latin1');
  const streams = latin1.matchAll(
    /obj\n(<<(?:(?!endobj)[\s\S])*?>>)\nstream\n([\s\S]*?)\nendstream/g,
  );
  for (const { index, 0: all, 1: dictionary = '', 2: content = '' } of streams) {
    if (dictionary.search(mark) < 0) continue;
    const start = index + all.length - content.length - '\nendstream'.length;
    return { start, end: start + content.length };
  }
  throw new Error(`No stream has ${mark}`);
}

/** A copy of the file with these bytes wiped out. */
function wiped(file: Buffer, start: number, length: number): Buffer {
  return Buffer.from(file).fill(0, start, start + length);
}

describe('a document that can be read by nobody', () => {
  it.each([
    ['has no bytes', () => Buffer.alloc(0), 'empty_document', /no bytes/],
    ['is no PDF', () => Buffer.from('<html>Not found</html>'), 'unreadable_document', /no PDF/],
    ['is only the head of one', () => Buffer.from('%PDF-1.7\n'), 'unreadable_document', /end/],
    ['is cut off early', () => cutOff(whole, 0.3), 'unreadable_document', /its end is missing/],
    ['is cut off late', () => cutOff(whole, 0.99), 'unreadable_document', /its end is missing/],
    ['lost its middle', () => gutted(whole), 'unreadable_document', /no valid PDF|no pages/],
  ])('%s', async (_, bytes, code, message) => {
    const opening = open(bytes(), 'pdf');

    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toMatchObject({ statusCode: 422, code, retryAfterSeconds: null });
    await expect(opening).rejects.toBeInstanceOf(ServiceError);
  });

  it('has no pages', async () => {
    await expect(open(await pdfOf([]), 'pdf')).rejects.toMatchObject({ code: 'empty_document' });
  });

  it('is encrypted', async () => {
    const bytes = await pdfOf([{ text }], { userPassword: 'wick', ownerPassword: 'tarn' });

    await expect(open(bytes, 'pdf')).rejects.toMatchObject({
      statusCode: 422,
      code: 'encrypted_document',
    });
  });
});

/** All that stands between the first object and the trailer, gone; the end is whole. */
function gutted(file: Buffer): Buffer {
  return wiped(file, 20, file.lastIndexOf('%%EOF') - 60);
}

describe('a file with small faults', () => {
  it('is read though its table of objects points nowhere', async () => {
    const moved = Buffer.from(
      whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'),
      'latin1',
    );
    const document = await open(moved, 'pdf');

    expect(document.pageCount).toBe(4);
    expect((await document.readPage(4)).textLayer).toContain('Dear Mr Okafor');
  });

  it('is read though there is something before its start', async () => {
    const document = await open(Buffer.concat([Buffer.from('From the carrier\r\n'), whole]), 'pdf');

    expect((await document.readPage(1)).textLayer).toContain('Dear Mr Okafor');
  });
});

describe('a damaged page fails alone', () => {
  const pages = async (bytes: Buffer) => {
    const document = await open(bytes, 'pdf');
    const numbers = Array.from({ length: document.pageCount }, (_, index) => index + 1);
    return Promise.all(
      [...numbers, ...numbers].map((page) =>
        document.readPage(page).then(
          (content) => Object.keys(content)[0],
          (error) => `${error.statusCode} ${error.code}: ${error.message}`,
        ),
      ),
    );
  };
  const good = ['textLayer', 'textLayer', 'jpeg', 'textLayer'];
  const bad = (page: number, why: string) =>
    `422 unreadable_page: Page ${page} can't be read: ${why}.`;

  it.each([
    ['has a hole in its text', 0],
    ['has rubbish in its text', 0xff],
  ])('that %s', async (_, filling) => {
    const { start } = streamOf(whole, /^<<\n\/Length \d+\n\/Filter \/FlateDecode\n>>/);
    const holed = Buffer.from(whole).fill(filling, start + 150, start + 200);
    const expected = [bad(1, 'it is damaged'), ...good.slice(1)];

    expect(await pages(holed)).toEqual([...expected, ...expected]);
  });

  it('whose text is wiped out', async () => {
    const { start, end } = streamOf(whole, /^<<\n\/Length \d+\n\/Filter \/FlateDecode\n>>/);
    const expected = [bad(1, 'it is damaged'), ...good.slice(1)];

    expect(await pages(wiped(whole, start, end - start))).toEqual([...expected, ...expected]);
  });

  it('whose picture is wiped out', async () => {
    const { start, end } = streamOf(whole, '/Subtype /Image');
    const expected = [...good.slice(0, 2), bad(3, 'its picture is damaged'), good[3]];

    expect(await pages(wiped(whole, start, end - start))).toEqual([...expected, ...expected]);
  });

  it('that is not there', async () => {
    const lost = whole.toString('latin1').replace(/\/Kids \[\d+ /, '/Kids [9999 ');
    const expected = [bad(1, 'it is damaged'), ...good.slice(1)];

    expect(await pages(Buffer.from(lost, 'latin1'))).toEqual([...expected, ...expected]);
  });
});
