import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asBase64, asNumbers, isVector } from '../../shared/embeddings/embedding-question.ts';

const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 });

describe('a vector', () => {
  it('is the same in base64 and back, in little-endian floats', () => {
    fc.assert(
      fc.property(floats, (vector) => {
        const text = asBase64(vector);

        const bytes = Buffer.from(text, 'base64');
        expect(bytes).toHaveLength(4 * vector.length);
        expect(vector.map((_, at) => bytes.readFloatLE(4 * at))).toEqual(vector);
        expect(asNumbers(text)).toEqual(vector);
        expect(isVector(text, vector.length)).toBe(true);
      }),
    );
  });

  it.each([[[]], [['1']], [[1, Number.NaN]], [''], ['AAAA'], [null], [{}]])(
    'is not %j',
    (value) => {
      expect(isVector(value)).toBe(false);
    },
  );
});
