import { gzipSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { expect, it } from 'vitest';
import type { CompositeKind } from '../../shared/documents/kind.ts';
import { kindOf } from '../../shared/documents/kind.ts';
import { openDocument } from '../../shared/documents/parts/open-document.ts';
import { rawPdf } from '../support/fixtures/poison.ts';
import { collected } from '../support/fixtures/scans.ts';
import { fileOf, open } from './open-bytes.ts';

/** A tar archive of one file. */
function tarOf(name: string, text: string): Buffer {
  const head = Buffer.alloc(512);
  head.write(name);
  head.write('0000644\0', 100);
  head.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('        0', 148);
  head.write('ustar\0', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(512 * Math.ceil(text.length / 512));
  body.write(text);
  return Buffer.concat([head, body, Buffer.alloc(1024)]);
}

async function textsOf(bytes: Buffer, name: string) {
  const kind = kindOf(bytes, '', name) as CompositeKind;
  const document = await openDocument(fileOf(bytes), kind, { turn: 'key' });
  const pages = Array.from({ length: document.pageCount }, (_, at) => document.readPage(at + 1));
  const texts = (await Promise.all(pages)).map(({ textLayer }) => textLayer);
  const names = document.parts?.map((part) => part.name);
  document.close();
  return { texts, names };
}

it('reads the files of tar and gzip, one within the other', async () => {
  const tar = tarOf('folder/a.txt', 'hello');

  expect(await textsOf(tar, 'a.tar')).toEqual({ texts: ['hello'], names: ['folder/a.txt'] });
  expect((await textsOf(gzipSync('a,b\n1,2'), 'data.csv.gz')).texts).toEqual(['a,b\n1,2']);
  expect((await textsOf(gzipSync(tar), 'a.tgz')).texts).toEqual(['hello']);
});

it('refuses what grows beyond all bounds', async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000));

  await expect(openDocument(fileOf(bomb), 'archive', { turn: 'key' })).rejects.toThrow(
    'too large when it is unpacked',
  );
});

it('reads the files that a PDF carries after its pages', async () => {
  const pdf = new PDFDocument();
  pdf.text('An invoice with its data, which a program reads from the file within it.');
  pdf.file(Buffer.from('<total>450.00</total>'), { name: 'invoice.xml' });
  const document = await open(await collected(pdf), 'pdf');

  expect(document.pageCount).toBe(2);
  expect((await document.readPage(2)).textLayer).toBe('<total>450.00</total>');
  expect(document.parts).toEqual([{ name: 'invoice.xml', first: 2, last: 2 }]);
});

it('reads what people have noted on a page', async () => {
  const pdf = new PDFDocument();
  pdf.text('The committee met on Tuesday to review the annual report of the year.');
  pdf.note(100, 100, 20, 20, 'Legal must approve');
  const document = await open(await collected(pdf), 'pdf');

  expect((await document.readPage(1, { draw: false })).textLayer).toMatch(
    /\n\n\[Note: Legal must approve\]$/,
  );
});

it('reads a page without letters and pictures as empty', async () => {
  const document = await open(rawPdf([() => ({ content: '' })]), 'pdf');

  expect(await document.readPage(1)).toEqual({ textLayer: '' });
});
