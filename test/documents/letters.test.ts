import { describe, expect, it } from 'vitest';
import { joinLetters, letterOf } from '../../shared/documents/letters.ts';

describe('a code point', () => {
  // As Word's lists and forms have them. @see https://www.alanwood.net/demos/wingdings.html
  it.each([
    [0xf0b7, '•'],
    [0xf0a7, '▪'],
    [0xf0d8, '➢'],
    [0xf0e0, '→'],
    [0xf0fc, '✓'],
    [0xf06f, '□'],
    [0xf076, '❖'],
    [0xf0b8, '\uf0b8'],
  ])('of private use %i is the sign that Symbol or Wingdings shows', (code, sign) => {
    expect(letterOf(code)).toBe(sign);
  });

  it.each([
    [0xfb00, 'ff'],
    [0xfb01, 'fi'],
    [0xfb03, 'ffi'],
    [0xfb06, 'st'],
    [0xfefb, 'لا'],
    [0xfe8d, 'ا'],
  ])('of a ligature or a form %i is the letters that it stands for', (code, letters) => {
    expect(letterOf(code)).toBe(letters);
  });

  it.each([
    [0x41, 'A'],
    [0x10ffff, '\u{10ffff}'],
    [0x1d404, '\u{1d404}'],
    [0xd7ff, '\ud7ff'],
    [0xe000, '\ue000'],
    [0, '\ufffd'],
    [-1, '\ufffd'],
    [0x110000, '\ufffd'],
    [0xd800, '\ufffd'],
    [0xdfff, '\ufffd'],
  ])('%i is a letter, or none', (code, letter) => {
    expect(letterOf(code)).toBe(letter);
  });
});

describe('a letter after another', () => {
  const box = (left: number, right: number, top = 0, bottom = 10) => ({ left, right, top, bottom });
  const join = (before: string, after: string, at: ReturnType<typeof box>) =>
    joinLetters({ text: before, ...box(0, 6) }, { text: after, ...at });

  it.each([
    ['an accent over the letter before', 'e', '´', box(1, 5), { text: 'é', replaced: 1 }],
    ['the same beside it', 'e', '´', box(8, 12), { text: '´', replaced: 0 }],
    ['a plain letter', 'a', 'b', box(6, 12), { text: 'b', replaced: 0 }],
  ])('%s', (_, before, after, at, joined) => {
    expect(join(before, after, at)).toMatchObject(joined);
  });
});
