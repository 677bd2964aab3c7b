import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { linesOf } from '../shared/lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-lines-test-'));
const path = join(folder, 'lines.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

it('a file’s lines are what lies between its line feeds, however long and in whatever script', async () => {
  // Some longer than the 64 KB that are read at once, so that characters are cut.
  const unit = fc.constantFrom('a', 'ß', '東', '🙂', '\r', '\u2028');
  const line = fc
    .tuple(fc.array(unit), fc.constantFrom(0, 1, 9_000))
    .map(([units, times]) => units.join('').repeat(times));
  const property = fc.asyncProperty(fc.array(line), fc.boolean(), async (lines, ended) => {
    const text = lines.join('\n') + (ended && lines.length > 0 ? '\n' : '');
    writeFileSync(path, text);
    const expected = text.split('\n');
    if (expected.at(-1) === '') expected.pop();

    expect(await Array.fromAsync(linesOf(createReadStream(path), 10_000_000))).toEqual(expected);
  });

  await fc.assert(property, { numRuns: 50 });
});

it('a line that is too long is passed over in its place', async () => {
  const most = 100_000;
  writeFileSync(
    path,
    ['a', 'b'.repeat(most), 'c'.repeat(most + 1), 'd', 'e'.repeat(3 * most)].join('\n'),
  );

  const lines = await Array.fromAsync(linesOf(createReadStream(path), most));

  expect(lines).toEqual(['a', 'b'.repeat(most), undefined, 'd', undefined]);
});
