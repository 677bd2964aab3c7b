import { globSync, readFileSync } from 'node:fs';

/** Test files that the quick run leaves out as a whole. */
export const exhaustiveOnly = 'test/**/*.exhaustive.test.ts';

/** What a test file imports of which the cases differ from run to run: the quick run draws the same ones each time. */
const importsCases = /from '(?:(?:\.\.?\/)+support\/run\/cases\.ts|fast-check)'/;

/** Returns the test files of the exhaustive run: those that the quick run leaves out, or tries few cases of. */
export function exhaustiveFiles(): string[] {
  const tried = globSync('test/**/*.test.ts').filter((file) =>
    importsCases.test(readFileSync(file, 'utf8')),
  );
  return [...new Set([...globSync(exhaustiveOnly), ...tried])].sort();
}
