import { createHash } from 'node:crypto';
import { assert, property, string, uniqueArray } from 'fast-check';
import { expect, it } from 'vitest';
import { hashSecret, newSecret, secretPattern } from '../../shared/keys/secret.ts';

const secrets = Array.from({ length: 10_000 }, newSecret);

it('every secret is sk- and 43 letters and digits', () => {
  expect(secretPattern.source).toBe('^sk-[0-9A-Za-z]{43}$');
  expect(secrets.filter((secret) => !secretPattern.test(secret))).toEqual([]);
});

it('no two secrets are alike', () => {
  expect(new Set(secrets).size).toBe(secrets.length);
});

it('every place of a secret varies over all 62 characters, but for the first', () => {
  const variety = Array.from({ length: 43 }, (_, place) => {
    return new Set(secrets.map((secret) => secret[3 + place])).size;
  });

  // 2^256 / 62^42 is 60.7: the first digit of 256 bits is never the last of the alphabet.
  expect(variety).toEqual([61, ...Array(42).fill(62)]);
});

it('the hash is the SHA-256 in hex', () => {
  assert(
    property(string(), (secret) => {
      const expected = createHash('sha256').update(secret, 'utf8').digest('hex');
      expect(hashSecret(secret)).toBe(expected);
    }),
  );
  expect(hashSecret('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

it('different secrets have different hashes, and the same one always the same', () => {
  assert(
    property(uniqueArray(string(), { minLength: 2 }), (texts) => {
      expect(new Set(texts.map(hashSecret)).size).toBe(texts.length);
      expect(texts.map(hashSecret)).toEqual(texts.map(hashSecret));
    }),
  );
});

it('no hash gives a part of its secret away', () => {
  const leaks = secrets.filter((secret) => hashSecret(secret).includes(secret.slice(3, 19)));

  expect(leaks).toEqual([]);
});
