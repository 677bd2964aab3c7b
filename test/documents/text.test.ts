import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../shared/documents/text.ts';

describe('what a program wrote to a terminal', () => {
  it.each([
    ['colours', '\x1b[1;31mred\x1b[0m and \x1b[38;5;208morange\x1b[m', 'red and orange'],
    ['colours after colons', '\x1b[38:2::255:0:0mred\x1b[0m', 'red'],
    ['links', '\x1b]8;;https://a.example/\x07one\x1b]8;;\x1b\\ two', 'one two'],
    ['a place and a hidden cursor', '\x1b[2K\x1b[?25l50 %\x1b[1G', '50 %'],
    ['character sets', '\x1b(Bplain\x1bM', 'plain'],
    ['a sequence that is cut off', 'end\x1b[31', 'end[31'],
    ['an escape alone', 'end\x1b', 'end'],
  ])('is read without %s', (_, written, text) => {
    expect(decodeText(Buffer.from(written))).toBe(text);
  });

  // An expression that looks further back than one sequence takes minutes.
  it.each(['\x1b]8;;a', '\x1b[1;', '\x1b', '\x1b('])(
    'is read to its end, however often %j is never ended',
    (start) => {
      expect(decodeText(Buffer.from(start.repeat(1_000_000)))).not.toContain('\x1b');
    },
  );
});

describe('text in any of the usual encodings', () => {
  it('is read as UTF-8, with or without a byte order mark', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, (written) => {
        const plain = written.replace(/^\ufeff/, '');
        expect(decodeText(Buffer.from(plain))).toBe(plain);
        expect(decodeText(Buffer.from(`\ufeff${plain}`))).toBe(plain);
      }),
    );
  });

  it('is read as ISO-2022-JP, whose escape sequences are no terminal’s', () => {
    const greeting = Buffer.from('Hello \x1b$B$3$s$K$A$O\x1b(B.', 'latin1');

    expect(decodeText(greeting)).toBe('Hello こんにちは.');
  });

  it('is read as UTF-16 of either order by its mark', () => {
    const little = Buffer.from('\ufeffPrix : 3 € — café', 'utf16le');

    expect(decodeText(little)).toBe('Prix : 3 € — café');
    expect(decodeText(Buffer.from(little).swap16())).toBe('Prix : 3 € — café');
  });

  it('is read as UTF-8 where a character is cut in two', () => {
    const log = Buffer.from('Größe, naïve, 3 € — 日本語で書く。');
    const marked = Buffer.concat([Buffer.from('\ufeffé '), log.subarray(0, 3)]);

    expect(decodeText(log.subarray(0, -1))).toBe('Größe, naïve, 3 € — 日本語で書く\ufffd');
    expect(decodeText(marked)).toBe('é Gr\ufffd');
  });

  it('is read as windows-1252 where it is no UTF-8', () => {
    const bytes = Buffer.from('caf\xe9 \x80 3', 'latin1');

    expect(decodeText(bytes)).toBe('café € 3');
  });
});
