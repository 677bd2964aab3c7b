import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRtf } from '../../shared/documents/rtf-text.ts';
import { ServiceError } from '../../shared/http/errors.ts';
import { rtfOf } from '../support/fixtures/common-documents.ts';

const read = (rtf: string, limit?: number) => readRtf(Buffer.from(rtf, 'latin1'), limit).text;
const body = (text: string) => read(rtfOf(text));

describe('the text of an RTF file has', () => {
  it.each([
    ['paragraphs', 'one {\\b bold} two\\par\r\nthree\\line four', 'one bold two\n\nthree\nfour'],
    ['letters of its code page', "Gr\\'fc\\'dfe, 5 \\'80", 'Grüße, 5 €'],
    ['letters of Unicode, without those for older programs', 'a\\u8364?b \\u-3913?', 'a€b \uf0b7'],
    ['letters beyond 16 bits', '\\u-10179?\\u-8704?', '\u{1f600}'],
    ['two characters in place of one that is unknown', '\\uc2\\u8364??b', '€b'],
    ['letters of Unicode that end with their group', '{\\u233}t{\\uc9 \\u233}t', 'étét'],
    ['letters of Unicode with less than nothing in their place', '\\uc-1\\u233 tait', 'était'],
    ['signs', '\\ldblquote a\\rdblquote\\endash b\\~c\\{\\}\\\\', '“a”–b\u00a0c{}\\'],
    ['headings', '\\pard\\outlinelevel1 Lamps\\par\\pard of brass', '## Lamps\n\nof brass'],
    ['headings above the highest', '\\outlinelevel-5 Lamps', '# Lamps'],
    [
      'lists',
      "{\\listtext\\'b7\\tab}a\\par{\\pntext\\'b7\\tab}b\\par{\\listtext 1.\\tab}c\\par after",
      '- a\n- b\n1. c\n\nafter',
    ],
    [
      'tables',
      'before\\par\\trowd\\cellx1\\cellx2\\intbl Lamp\\cell Price\\cell\\row\\trowd\\intbl a|b\\cell 1\\par 2\\cell\\row\\pard after',
      'before\n\n| Lamp | Price |\n| --- | --- |\n| a\\|b | 1 2 |\n\nafter',
    ],
    ['footnotes', 'a{\\*\\footnote \\pard note}b', 'anoteb'],
    [
      'nothing of what is no text',
      'a{\\*\\unknown b}{\\*\\generator c}{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt d}}{\\pict\\wmetafile8 00ff}',
      'ad',
    ],
    ['nothing', '', ''],
  ])('%s', (_, rtf, text) => {
    expect(body(rtf)).toBe(text);
  });

  it('letters of an Asian code page', () => {
    expect(read("{\\rtf1\\ansi\\ansicpg932 \\'93\\'fa\\'96\\'7b}")).toBe('日本');
  });
});

it('pictures of an RTF file are taken from it, in hex and as bytes', () => {
  const rtf = rtfOf(
    '{\\*\\shppict{\\pict\\pngblip\\picw1 89504e\r\n47}}{\\nonshppict{\\pict\\pngblip 00}}{\\pict\\jpegblip\\bin4 \xff\xd8}\\}',
  );

  const { pictures, text } = readRtf(Buffer.from(`${rtf}}`, 'latin1'));

  expect(pictures.map((picture) => picture().toString('latin1'))).toEqual([
    '\x89PNG',
    '\xff\xd8}\\',
  ]);
  expect(text).toBe('');
});

it('a text ends where it is as long as it may be', () => {
  expect(read(rtfOf('one\\par two'), 6)).toBe('one\n\nt');
});

it('what is nested without end is refused with 422', () => {
  expect(() => body('{'.repeat(100_000))).toThrow(
    expect.objectContaining({ statusCode: 422, code: 'unreadable_document' }),
  );
});

it('whatever stands in a file is read, or refused with 422', () => {
  const words = ["\\'", '\\u1', '\\bin9', '{', '}', '\\pict', '\\row', '\\cell', '\\*', 'a', '\\'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words)), (pieces) => {
      try {
        expect(typeof body(pieces.join(''))).toBe('string');
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
  );
});
