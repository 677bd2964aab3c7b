import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../shared/documents/text.ts';

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

  it('is read as UTF-16 of either order by its mark', () => {
    const little = Buffer.from('\ufeffPrix : 3 € — café', 'utf16le');

    expect(decodeText(little)).toBe('Prix : 3 € — café');
    expect(decodeText(Buffer.from(little).swap16())).toBe('Prix : 3 € — café');
  });

  it('is read as windows-1252 where it is no UTF-8', () => {
    const bytes = Buffer.from('caf\xe9 \x80 3', 'latin1');

    expect(decodeText(bytes)).toBe('café € 3');
  });
});
