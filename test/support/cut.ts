import fc from 'fast-check';

/** Bytes cut at arbitrary places, also within a character. */
export const cutUp = (bytes: Buffer): fc.Arbitrary<Buffer[]> =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 })
    .map((places) => [0, ...places.sort((a, b) => a - b), bytes.length])
    .map((borders) => borders.slice(1).map((end, n) => bytes.subarray(borders[n], end)));
