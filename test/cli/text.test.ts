import { expect, it } from 'vitest';
import { aligned } from '../../lib/cli/text.ts';

it('aligns more rows than a function takes arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [String(index), 'x']);

  const lines = aligned(rows).split('\n');

  expect(lines).toHaveLength(200_000);
  expect(lines[0]).toBe('0       x');
});
