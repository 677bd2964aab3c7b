import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { linesOf, reserveBytes } from '../../../../shared/jobs/kinds/requests/file-lines.ts';

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

    expect(await Array.fromAsync(linesOf(path, 10_000_000))).toEqual(expected);
  });

  await fc.assert(property, { numRuns: 50 });
});

it('a line that is too long is passed over in its place', async () => {
  const most = 100_000;
  writeFileSync(
    path,
    ['a', 'b'.repeat(most), 'c'.repeat(most + 1), 'd', 'e'.repeat(3 * most)].join('\n'),
  );

  const lines = await Array.fromAsync(linesOf(path, most));

  expect(lines).toEqual(['a', 'b'.repeat(most), undefined, 'd', undefined]);
});

it('lines of all files wait for room, and one of any length finds it in the end', async () => {
  const mb = 1024 * 1024;
  const had: string[] = [];
  const take = async (name: string, bytes: number) => {
    const giveBack = await reserveBytes(bytes);
    had.push(name);
    return giveBack;
  };
  const first = await reserveBytes(20 * mb);
  const second = take('second', 6 * mb);
  const small = await reserveBytes(mb);
  const huge = take('huge', 100 * mb);

  small();
  await new Promise(setImmediate);
  expect(had).toEqual([]);
  first();
  const giveBack = await second;
  await new Promise(setImmediate);
  expect(had).toEqual(['second']);
  giveBack();
  (await huge)();

  expect(had).toEqual(['second', 'huge']);
});

it('a line that needs all the room is passed by nobody', async () => {
  const mb = 1024 * 1024;
  const first = await reserveBytes(mb);
  const had: string[] = [];
  const take = (name: string, bytes: number) =>
    reserveBytes(bytes).then((giveBack) => {
      had.push(name);
      return giveBack;
    });

  const huge = take('huge', 100 * mb);
  const small = take('small', mb);
  await new Promise(setImmediate);
  expect(had).toEqual([]);
  first();
  (await huge)();
  (await small)();

  expect(had).toEqual(['huge', 'small']);
});
