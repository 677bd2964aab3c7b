import { expect, it } from 'vitest';
import { fuseRankings } from '../../shared/connectors/rank-fusion.ts';

it.each<[string, string[][], string[]]>([
  ['one ranking stays as it is', [['a', 'b', 'c']], ['a', 'b', 'c']],
  ['what is in several comes first', [['a', 'b'], ['c', 'b'], ['d']], ['b', 'a', 'c', 'd']],
  [
    'a high place in one beats a low place in another',
    [['a', 'x', 'y', 'b']],
    ['a', 'x', 'y', 'b'],
  ],
  [
    'of two in as many rankings the higher comes first',
    [
      ['a', 'b'],
      ['x', 'a', 'b'],
    ],
    ['a', 'b', 'x'],
  ],
  ['no rankings make none', [], []],
  ['empty rankings make none', [[], []], []],
])('%s', (_, rankings, fused) => {
  expect(fuseRankings(rankings)).toEqual(fused);
});
