import { describe, expect, it } from 'vitest';
import { type Found, fuse, pageKey } from '../../../shared/chat/sources/found.ts';

const found = (key: string, passages: string[] = []): Found => ({
  key,
  title: key,
  url: `https://${key}`,
  site: key,
  snippet: '',
  passages,
});

const keysOf = (list: Found[]) => list.map(({ key }) => key);

describe('the results of several queries', () => {
  it('are one list, in which what several found comes first', () => {
    const lists = [
      [found('a'), found('b'), found('c')],
      [found('d'), found('b'), found('e')],
    ];

    expect(keysOf(fuse(lists))).toEqual(['b', 'a', 'd', 'c', 'e']);
  });

  it('keep their order if there is one query', () => {
    expect(keysOf(fuse([[found('c'), found('a'), found('b')]]))).toEqual(['c', 'a', 'b']);
  });

  it('keep the passages of each that found the same page, each once', () => {
    const [page] = fuse([[found('a', ['one', 'two'])], [found('a', ['two', 'three'])]]);

    expect(page?.passages).toEqual(['one', 'two', 'three']);
  });
});

describe('a page', () => {
  it.each([
    'http://example.com/a',
    'https://www.example.com/a/',
    'https://EXAMPLE.com/a#part',
    'https://example.com/a?utm_source=x&gclid=1',
  ])('is known again as %s', (url) => {
    expect(pageKey(url)).toBe(pageKey('https://example.com/a'));
  });

  it.each([
    'https://example.com/b',
    'https://example.com/A',
    'https://example.com/a?id=1',
    'https://other.example.com/a',
    'https://example.com:8080/a',
  ])('is another than %s', (url) => {
    expect(pageKey(url)).not.toBe(pageKey('https://example.com/a'));
  });
});
