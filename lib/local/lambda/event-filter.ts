import { StageError } from '../stage-error.ts';

type Pattern = { [key: string]: Pattern | unknown[] };
type Test = (actual: unknown) => boolean;

/**
 * Makes a predicate of an event source mapping's filters: a record passes if it fits any of them. Throws
 * `StageError` for an operator that the stage doesn't know.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function eventFilter(patterns: string[]): Test {
  const tests = patterns.map((pattern) => testOf(JSON.parse(pattern) as Pattern));
  return (record) => tests.length === 0 || tests.some((fits) => fits(record));
}

function testOf(pattern: Pattern): Test {
  const tests = Object.entries(pattern).map(([key, expected]): Test => {
    const fits = Array.isArray(expected) ? anyOf(expected.map(ruleOf)) : testOf(expected);
    return (value) => fits((value as Record<string, unknown> | null | undefined)?.[key]);
  });
  return (value) => tests.every((fits) => fits(value));
}

function ruleOf(rule: unknown): Test {
  if (typeof rule !== 'object' || rule === null) return (actual) => actual === rule;
  const [[operator, operand] = []] = Object.entries(rule);
  if (operator === 'exists') return (actual) => (actual !== undefined) === operand;
  throw new StageError(`The local stage doesn't know the filter operator ${operator}.`);
}

const anyOf =
  (tests: Test[]): Test =>
  (actual) =>
    tests.some((fits) => fits(actual));
