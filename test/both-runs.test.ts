import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { exhaustiveFiles } from './support/run/exhaustive-files.ts';

const self = basename(import.meta.filename);
const textOf = (file: string) => readFileSync(file, 'utf8');
/** The console's tests in a browser are a run of their own. */
const sources = globSync('test/**/*.ts', {
  exclude: (path) => path === 'test/browser' || path.endsWith(self),
});
const filesWith = (pattern: RegExp) => sources.filter((file) => pattern.test(textOf(file))).sort();

it('every file with tests is named so that a run has it', () => {
  const withTests = filesWith(/import \{[^}]*\b(it|test)\b[^}]*\} from 'vitest'/);

  expect(withTests.length).toBeGreaterThan(250);
  expect(withTests.filter((file) => !file.endsWith('.test.ts'))).toEqual([]);
});

it('every test that the quick run leaves out is in the exhaustive one', () => {
  const varying = filesWith(/\bisExhaustive\b|(?<![.\w])(cases|some)\(/).filter((file) =>
    file.endsWith('.test.ts'),
  );

  expect(varying.length).toBeGreaterThan(40);
  expect(exhaustiveFiles()).toEqual(expect.arrayContaining(varying));
});

it('no test is left out for another reason', () => {
  const conditions = sources.flatMap((file) =>
    [
      ...textOf(file).matchAll(/\.(?:skip|todo|only|fails)\b\s*[(.<]|\.(?:skipIf|runIf)\([^)]*\)/g),
    ].map(([condition]) => condition),
  );

  expect(new Set(conditions)).toEqual(new Set(['.runIf(isExhaustive)']));
});

it('which run it is, is told by one place', () => {
  const places = [
    ...filesWith(/QUIRE_TEST_CASES/),
    ...filesWith(/export .* from '.*run\/cases\.ts'/),
  ];

  expect(places).toEqual(['test/support/run/cases.ts']);
  expect(filesWith(/run\/cases\.ts'/).filter((file) => !file.endsWith('.test.ts'))).toEqual([]);
});
