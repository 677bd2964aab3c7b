import { describe, expect, it } from 'vitest';
import { kindOf, likelyKindOf, mediaTypeOf } from '../../shared/documents/kind.ts';
import { typeInWords } from '../../shared/documents/type-words.ts';

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');
const octets = 'application/octet-stream';
const rubbish = bytes(String.fromCharCode(...Array.from({ length: 64 }, (_, i) => (i * 37) % 256)));
const ftyp = (...brands: string[]) =>
  bytes(
    `\0\0\0${String.fromCharCode(16 + 4 * (brands.length - 1))}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}`,
  );

describe('what a file is by its first bytes', () => {
  it.each([
    ['%PDF-1.7\n', 'pdf'],
    ['\n %PDF-1.4\n', 'pdf'],
    ['\xff\xd8\xff\xe0', 'image'],
    ['\x89PNG\r\n\x1a\n', 'image'],
    ['II*\0', 'image'],
    ['MM\0*', 'image'],
    ['MM\0+', 'image'],
    ['RIFF\x10\0\0\0WEBPVP8 ', 'image'],
    ['GIF89a', 'image'],
    ['GIF87a', 'image'],
    [`BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0`, 'image'],
    ['PK\x03\x04', 'archive'],
    ['PK\x05\x06', 'archive'],
    ['{\\rtf1', 'rtf'],
    ['<!DOCTYPE html><p>', 'html'],
    ['\xef\xbb\xbf<?xml version="1.0"?>\n<!-- saved -->\n<html lang="en">', 'html'],
    ['Received: by a.example\r\n\tid 7\r\nFrom: b@example.com\r\n\r\nHi', 'email'],
    ['From b@example.com Tue Jun  2\nMessage-ID: <7@b>\nFROM: b@example.com\n', 'email'],
    // A page saved as one file; a wiki's export to Word.
    ['MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="b"\r\n\r\n', 'email'],
    [
      'Date: Fri, 1 May 2026\nMessage-ID: <1@b>\nSubject: Plan\nMIME-Version: 1.0\nContent-Type: multipart/related\n',
      'email',
    ],
  ])('%j is of the kind %s, whatever its name says', (start, kind) => {
    const names = ['paper.pdf', 'paper.txt', 'paper.docx', 'paper'];

    const kinds = names.map((name) => kindOf(bytes(start), 'text/plain', name));

    expect(kinds).toEqual(names.map(() => kind));
  });

  it.each([
    ['\xd0\xcf\x11\xe0', 'application/x-ole-storage'],
    ['P6\n1000 500\n255\n', 'image/x-portable-anymap'],
    ['P4\n# made by a scanner\n640 480\n', 'image/x-portable-anymap'],
  ])('%j is unsupported as a PDF, and as what it is', (start, type) => {
    expect(kindOf(bytes(start), 'application/pdf', 'paper.pdf')).toBeUndefined();
    expect(mediaTypeOf(bytes(start), 'application/pdf', 'paper.pdf')).toBe(type);
  });

  it('takes a list whose first word looks like a picture for the text that it is', () => {
    expect(kindOf(bytes('P1 fix the gate\nP2 paint it\n'), octets, 'tasks.txt')).toBe('text');
  });

  it('tells AVIF from HEIC, which has the same frame', () => {
    expect(kindOf(ftyp('avif', 'mif1', 'miaf'), octets, 'photo')).toBe('image');
    expect(kindOf(ftyp('mif1', 'miaf', 'avif'), octets, 'photo')).toBe('image');
    expect(kindOf(ftyp('heic', 'mif1'), 'image/jpeg', 'photo.jpg')).toBeUndefined();
    expect(mediaTypeOf(ftyp('mif1', 'heic'), 'image/jpeg', 'photo.jpg')).toBe('image/heic');
  });

  it('takes text for what its name says, then for what its type says, else for plain text', () => {
    const text = bytes('one,two\n');

    expect(kindOf(text, 'text/plain', 'list.csv')).toBe('csv');
    expect(kindOf(text, octets, 'LIST.JSONL')).toBe('jsonl');
    expect(kindOf(text, 'application/json; charset=utf-8', 'list')).toBe('json');
    expect(kindOf(text, octets, 'README.md')).toBe('markdown');
    expect(kindOf(text, octets, 'list')).toBe('text');
    expect(kindOf(text, 'text/x-python', 'list.py')).toBe('text');
  });

  it('takes text with a byte order mark, and an empty file, for text', () => {
    expect(kindOf(bytes('\xff\xfeh\0i\0'), 'text/plain', 'a.txt')).toBe('text');
    expect(kindOf(bytes('\xfe\xff\0h\0i'), 'text/plain', 'a.txt')).toBe('text');
    expect(kindOf(bytes('\xef\xbb\xbfhi'), 'text/csv', 'a.csv')).toBe('csv');
    expect(kindOf(bytes(''), 'text/plain', 'a.txt')).toBe('text');
    // Only its first bytes count, however many of them are there.
    expect(kindOf(bytes(`${'hi'.repeat(2_050)}\0\0`), 'text/plain', 'a.txt')).toBe('text');
  });

  it('takes the coloured lines of a terminal for text, and no NUL among them', () => {
    const line = '\x1b[32mok\x1b[0m 1\n';

    expect(kindOf(bytes(line.repeat(9)), octets, 'build.log')).toBe('text');
    expect(kindOf(bytes(`${line.repeat(9)}\0`), octets, 'build.log')).toBeUndefined();
  });

  it('takes binary rubbish for no text, but lets a PDF or an image be opened and refused', () => {
    expect(kindOf(rubbish, 'text/plain', 'a.txt')).toBeUndefined();
    expect(kindOf(rubbish, octets, 'a')).toBeUndefined();
    expect(kindOf(rubbish, 'application/pdf', 'a.pdf')).toBe('pdf');
    expect(kindOf(bytes('Not found'), 'image/png', 'a.png')).toBe('image');
  });
});

describe('what a file seems to be by its name and type', () => {
  it.each([
    ['application/pdf', 'scan', 'pdf'],
    [octets, 'scan.TIFF', 'image'],
    ['text/plain', 'rows.ndjson', 'jsonl'],
    ['application/vnd.ms-excel', 'rows.csv', 'csv'],
    ['text/html', 'page', 'html'],
    ['text/plain', 'page.htm', 'html'],
    ['message/rfc822', 'a mail', 'email'],
    ['application/octet-stream', 'letter.RTF', 'rtf'],
    ['application/octet-stream', 'letter.docx', 'archive'],
    ['application/vnd.oasis.opendocument.text', 'letter', 'archive'],
    ['application/epub+zip', 'book', 'archive'],
    ['image/bmp', 'scan', 'image'],
    ['application/vnd.google-apps.document', 'Minutes', 'markdown'],
    ['image/heic', 'photo.heic', undefined],
    ['application/zip', 'papers.zip', 'archive'],
    ['video/mp4', 'film.mp4', undefined],
    ['application/vnd.google-apps.folder', 'Papers', undefined],
    ['constructor', 'a.constructor', undefined],
  ])('%s, %s: %s', (type, name, kind) => {
    expect(likelyKindOf(type, name)).toBe(kind);
  });

  it('tells its type', () => {
    expect(mediaTypeOf(bytes(''), 'image/heic', 'photo')).toBe('image/heic');
    expect(mediaTypeOf(rubbish, '', 'photo.heic')).toBe('image/heic');
    expect(mediaTypeOf(rubbish, '', 'photo')).toBe('application/octet-stream');
    expect(mediaTypeOf(rubbish, 'text/plain', 'notes.txt')).toBe('application/octet-stream');
  });
});

it('takes a note about pages, pictures and mails for a text', () => {
  const notes = [
    'Convert WEBP pictures to PNG.',
    'The ftyp box comes first.',
    'BM is what a bitmap begins with.',
    'From: Ann\nTo: Bob\nSubject: lunch\n\nA note.',
    'The root is <html>.',
    'Received: by a.example\n',
  ];

  expect(notes.map((note) => kindOf(bytes(note), octets, 'note'))).toEqual(notes.map(() => 'text'));
});

it('takes a binary file with the name of a text or an archive for neither', () => {
  const names = ['a.docx', 'a.zip', 'a.rtf', 'a.html', 'a.eml', 'a.epub'];

  expect(names.map((name) => kindOf(rubbish, octets, name))).toEqual(names.map(() => undefined));
});

it.each([
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'an Excel workbook'],
  ['image/heic', 'a HEIC picture'],
  ['video/mp4', 'a video'],
  ['font/woff2', 'a font'],
  ['audio/mpeg', 'a sound recording'],
  ['image/x-unheard-of', 'a picture'],
  ['text/x-unheard-of', 'a text file'],
  ['application/x-sqlite3', 'a file of type application/x-sqlite3'],
  ['application/octet-stream', 'of an unknown type'],
])('calls %s what people do', (type, words) => {
  expect(typeInWords(type)).toBe(words);
});
