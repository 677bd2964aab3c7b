import * as v from 'valibot';

/** A whole number from 1 to a most, as an option gives it. */
function count(most: number, usual: string) {
  const expected = ({ input }: v.BaseIssue<unknown>) =>
    `takes a whole number from 1 to ${most}, not "${input}"`;
  const digits = v.pipe(v.string(), v.regex(/^[1-9]\d*$/, expected));
  return v.optional(v.pipe(digits, v.transform(Number), v.maxValue(most, expected)), usual);
}

/** How many days a report is about: today (UTC) and the days before. */
export const daysOption = (usual: string) => v.object({ days: count(400, usual) });

/** How many entries a list shows at most. */
export const LimitOption = v.object({ limit: count(10_000, '50') });
