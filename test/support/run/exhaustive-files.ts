import { globSync, readFileSync } from 'node:fs';

/** Test files that the quick run leaves out as a whole. */
export const exhaustiveOnly = 'test/**/*.exhaustive.test.ts';

/** Packages that only the tests of a folder use. */
export const packagesOfTests = 'test/*/node_modules/**';

/**
 * What tells a test file of which the quick run leaves tests out, tries few cases, which those of fast-check are too, or
 * runs commands in one process.
 */
const isInBoth =
  /tags: 'exhaustive'|from '(?:(?:\.\.?\/)+support\/(?:run\/cases|servers\/command)\.ts|fast-check)'/;

/** Returns the test files of the exhaustive run: those that the quick run leaves out, wholly or in part. */
export function exhaustiveFiles(): string[] {
  const filesLike = (pattern: string) => globSync(pattern, { exclude: [packagesOfTests] });
  const inBoth = filesLike('test/**/*.test.ts').filter((file) =>
    isInBoth.test(readFileSync(file, 'utf8')),
  );
  return [...new Set([...filesLike(exhaustiveOnly), ...inBoth])].sort();
}
