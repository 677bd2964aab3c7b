import { StageError } from './stage-error.ts';

type Pattern = { [key: string]: Pattern | unknown[] };

/** Makes a predicate of an event source mapping's filters: a record passes if it fits any of them. */
export function eventFilter(patterns: string[]): (record: unknown) => boolean {
  if (patterns.length === 0) return () => true;
  const parsed = patterns.map((pattern) => JSON.parse(pattern) as Pattern);
  return (record) => parsed.some((pattern) => fits(record, pattern));
}

function fits(value: unknown, pattern: Pattern): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    const actual = (value as Record<string, unknown> | undefined)?.[key];
    return Array.isArray(expected)
      ? expected.some((rule) => obeys(actual, rule))
      : fits(actual, expected);
  });
}

function obeys(actual: unknown, rule: unknown): boolean {
  if (typeof rule !== 'object' || rule === null) return actual === rule;
  const [operator, operand] = Object.entries(rule)[0] ?? [];
  if (operator === 'exists') return (actual !== undefined) === operand;
  if (operator === 'prefix') return typeof actual === 'string' && actual.startsWith(operand);
  if (operator === 'anything-but') return actual !== undefined && !operand.includes(actual);
  throw new StageError(`The local stage doesn't know the filter operator ${operator}.`);
}
