import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { exhaustiveFiles } from './support/run/exhaustive-files.ts';

const self = basename(import.meta.filename);
const textOf = (file: string) => readFileSync(file, 'utf8');
/** The console's tests in a browser are a run of their own. */
const sources = globSync('test/**/*.ts', {
  exclude: (path) =>
    path === 'test/browser' || path.endsWith(self) || basename(path) === 'node_modules',
});
const filesWith = (pattern: RegExp) => sources.filter((file) => pattern.test(textOf(file))).sort();

it('every file with tests is named so that a run has it', () => {
  const withTests = filesWith(/import \{[^}]*\b(it|test)\b[^}]*\} from 'vitest'/);

  expect(withTests.length).toBeGreaterThan(250);
  expect(withTests.filter((file) => !file.endsWith('.test.ts'))).toEqual([]);
});

it('every test that the quick run leaves out, or tries few cases of, is in the exhaustive one', () => {
  const varying = filesWith(
    /'exhaustive'|\brunCommand\b|\bisExhaustive\b|(?<![.\w])(cases|some)\(/,
  );
  const tests = varying.filter((file) => file.endsWith('.test.ts'));

  expect(tests.length).toBeGreaterThan(40);
  expect(exhaustiveFiles()).toEqual(expect.arrayContaining(tests));
});

/** A part of it runs Codex itself, which has 400 MB, where `CODEX_BIN` names it. */
const withCodex = 'test/e2e/responses/codex.test.ts';
/** A part of it runs clients of Python, where that is. */
const withPython = 'test/clients/readme.exhaustive.test.ts';

it('no test is left out otherwise', () => {
  const leavesOut = /\.(?:skip|only|todo|skipIf|runIf)\b\s*[(.<]|\bskip\(/;

  expect(filesWith(leavesOut)).toEqual([withPython, withCodex]);
});

it('which run it is, is told by one place', () => {
  const users = filesWith(/\/cases\.ts'/).filter((file) => !file.endsWith('.test.ts'));

  expect(filesWith(/QUIRE_TEST_CASES/)).toEqual(['test/support/run/cases.ts']);
  // Another file of support would vary the tests of files that say nothing of it.
  expect(users).toEqual(['test/support/run/each-file.ts', 'test/support/servers/command.ts']);
});
