import * as v from 'valibot';

const expected = ({ input }: v.BaseIssue<unknown>) =>
  `takes a whole number from 1 to 10000, not "${input}"`;

/** How many entries a list shows at most. */
export const LimitOption = v.object({
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[1-9]\d{0,4}$/, expected),
      v.transform(Number),
      v.maxValue(10_000, expected),
    ),
    '50',
  ),
});
