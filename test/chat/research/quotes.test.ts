import { describe, expect, it } from 'vitest';
import { saysVerbatim } from '../../../shared/chat/research/study.ts';

const text = `The **town hall** opened in 1902 — after “three years”
of work, as the Mayor's diary says. It cost 4,200 pounds.`;

describe('a quote', () => {
  it.each([
    ['word for word', 'It cost 4,200 pounds.'],
    ['over a line break', 'of work, as the Mayor’s diary says'],
    ['with other marks', 'opened in 1902 - after "three years" of work'],
    ['without the Markdown', 'The town hall opened in 1902'],
    ['in another case', 'the TOWN HALL opened'],
  ])('is found %s', (_, quote) => {
    expect(saysVerbatim(text, quote)).toBe(true);
  });

  it.each([
    ['with another figure', 'It cost 4,300 pounds.'],
    ['with a word left out', 'The town hall opened after three years'],
    ['with a gap', 'The town hall … cost 4,200 pounds'],
    ['that is made up', 'The mayor resigned in 1903'],
    ['too short to mean anything', 'the town'],
    ['of nothing', '   '],
  ])('is not found %s', (_, quote) => {
    expect(saysVerbatim(text, quote)).toBe(false);
  });
});
