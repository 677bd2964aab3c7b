import { globSync, readFileSync } from 'node:fs';

/** Test files that the quick run leaves out as a whole. */
export const exhaustiveOnly = 'test/**/*.exhaustive.test.ts';

/**
 * What tells a test file of which the quick run leaves tests out, tries few cases, which those of fast-check are too, or
 * runs commands in one process.
 */
const isInBoth =
  /tags: 'exhaustive'|from '(?:(?:\.\.?\/)+support\/(?:run\/cases|servers\/command)\.ts|fast-check)'/;

/** Returns the test files of the exhaustive run: those that the quick run leaves out, wholly or in part. */
export function exhaustiveFiles(): string[] {
  const inBoth = globSync('test/**/*.test.ts').filter((file) =>
    isInBoth.test(readFileSync(file, 'utf8')),
  );
  return [...new Set([...globSync(exhaustiveOnly), ...inBoth])].sort();
}
