/** Objects and arrays may lie within one another this deep; JSON is written out by recursion, which has an end. */
export const maxNesting = 64;

/** What is said of a value that is nested deeper. */
export const tooDeep = `Input should not be nested deeper than ${maxNesting} levels`;

/** Whether a JSON value is nested deeper than it may be. Goes level by level, so that no depth overflows the stack. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxNesting) return true;
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
