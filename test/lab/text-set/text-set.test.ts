import { describe, expect, it } from 'vitest';
import { formats } from './formats.ts';
import { papers } from './papers.ts';
import { scoresOf, textOf } from './read-set.ts';
import { scoreOf } from './score.ts';

it('the text of each format is read whole, in order and with its tables', async () => {
  const scores = await scoresOf(textOf);

  expect(Object.keys(scores).length * papers.length).toBeGreaterThan(60);
  const poor = Object.entries(scores).filter(
    ([, { words, order, recall, precision }]) =>
      words < 0.99 || order < 0.98 || recall < 0.95 || precision < 0.95,
  );
  expect(poor).toEqual([]);
});

describe('a score', () => {
  const paper = papers[0] as (typeof papers)[number];
  const whole = String(formats['.html']?.(paper));
  const markdown = [
    '# Report of the harbour office for the second quarter',
    '| Quay | April |',
    '| --- | --- |',
    '| North | 41,200 |',
  ].join('\n');

  it('is low for a text that lacks most of its paper', () => {
    const { words, recall, precision } = scoreOf(paper, markdown);

    expect(words).toBeCloseTo(13 / 186, 1);
    expect(recall).toBeLessThan(0.2);
    expect(precision).toBe(1);
  });

  it('knows a text in another order, and a table of other neighbours', () => {
    const backwards = whole
      .replaceAll(/<[^>]*>/g, ' ')
      .split(/\s+/)
      .toReversed()
      .join(' ');
    const mixed = '| Quay | June |\n| --- | --- |\n| North | 12,480 |';

    expect(scoreOf(paper, backwards)).toMatchObject({ words: expect.closeTo(1, 1), recall: 0 });
    expect(scoreOf(paper, backwards).order).toBeLessThan(0.1);
    expect(scoreOf(paper, mixed).precision).toBeLessThan(0.5);
  });
});
