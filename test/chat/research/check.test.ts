import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { citedIn, sentencesOf, withoutSentences } from '../../../shared/chat/research/check.ts';

describe('the sentences of a text', () => {
  it('are together the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(sentencesOf(text).join('')).toBe(text);
      }),
    );
  });

  it('keep a citation that follows their full stop', () => {
    expect(sentencesOf('It opened in 1902.[1] It closed in 1950. [2][3] It is a house.')).toEqual([
      'It opened in 1902.[1] ',
      'It closed in 1950. [2][3] ',
      'It is a house.',
    ]);
  });

  it('are whole rows in a table', () => {
    const table = '| Year | Event |\n|---|---|\n| 1902. So. | Opening [1] |\n';

    expect(sentencesOf(table)).toEqual(table.match(/.*\n/g));
  });
});

it('a sentence names the sources that it cites', () => {
  expect(citedIn('It is so [1], and so [2, 4-5] in [2024] [see].')).toEqual([1, 2, 4, 5]);
});

describe('a text without some of its sentences', () => {
  it('keeps the others as they are', () => {
    const sentences = sentencesOf('One is so. Two is not. Three is so.\n\nFour.');

    expect(withoutSentences(sentences, new Set([1]))).toBe('One is so. Three is so.\n\nFour.');
  });

  it('keeps its paragraphs apart', () => {
    const sentences = sentencesOf('One is so. Two is not.\n\nThree is so.');

    expect(withoutSentences(sentences, new Set([1]))).toBe('One is so.\n\nThree is so.');
  });

  it('leaves no empty item in a list', () => {
    const sentences = sentencesOf('- One is so.\n- Two is not.\n1. Three is not.\n- Four is so.\n');
    const removed = new Set([...sentences.keys()].filter((n) => sentences[n]?.includes('not')));

    expect(withoutSentences(sentences, removed)).toBe('- One is so.\n- Four is so.\n');
  });
});
