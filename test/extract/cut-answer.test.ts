import { expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { InvalidAnswer } from '../../shared/extract/asked/errors.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';

it('no part of an answer that broke off is taken for the whole', () => {
  const spec = parseExtract({ example: { number: 'A', date: 'B', total: 1 } });
  const claim = { value: 'A', quote: 'No. A', page: 1 };
  const whole = JSON.stringify({ number: claim, date: claim, total: { ...claim, value: 1 } });
  const window = { index: 0, first: 1, last: 1 };

  for (let length = 0; length < whole.length; length++) {
    expect(() => readAnswer(spec, window, whole.slice(0, length))).toThrow(InvalidAnswer);
  }
  expect(readAnswer(spec, window, whole).values['/total']).toMatchObject({ value: 1 });
});
