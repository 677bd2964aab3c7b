import { expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import { textPage } from './page-of.ts';

const properties = {
  ...{ number: { type: 'number' }, text: { type: 'string' }, mark: { type: 'boolean' } },
  date: { type: 'string', format: 'date' },
};
const values = { number: 1, text: 'a b a b a c', mark: true, date: '2026-01-02' };
const rows = { type: 'array', items: { type: 'object', properties } };
const schema = { type: 'object', properties: { ...properties, rows } };
const window = { index: 0, first: 1, last: 1 };

/**
 * Puts fields and rows together that are all taken from one page. Returns the processor's milliseconds of the quickest of
 * three tries, or of the first that is quick enough.
 */
function msFor(text: string, quote: string | null, enoughMs = 0): number {
  const spec = parseExtract({ schema });
  const told = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, quote, page: 1 }]),
  );
  const list = Array.from({ length: 20 }, () => ({ ...values, quote, page: 1 }));
  const answer = readAnswer(spec, window, JSON.stringify({ ...told, rows: list }));
  let quickest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && quickest >= enoughMs; tries++) {
    const began = process.cpuUsage();
    assemble(spec, [textPage(1, text)], [answer]);
    const { user, system } = process.cpuUsage(began);
    quickest = Math.min(quickest, (user + system) / 1000);
  }
  return quickest;
}

it.each(['1 ', '12', 'a b ', '1/', '- ', '2026-01-01 ', 'May 5, 2026 ', '€1 ', '1.', '☐ ', 'é'])(
  'a page of nothing but %j takes in proportion to its length',
  (piece) => {
    const page = (length: number) => piece.repeat(length / piece.length);
    for (const quoteOf of [(text: string) => text.slice(0, 40), (text: string) => `${text}!`]) {
      const ms = (text: string, enoughMs?: number) => msFor(text, quoteOf(text), enoughMs);
      // Eight times as long; what grows by the square takes 64 times.
      const most = 24 * Math.max(ms(page(12_000)), 5);
      expect(ms(page(96_000), most)).toBeLessThan(most);
    }
  },
);
