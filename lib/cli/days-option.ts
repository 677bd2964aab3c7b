import * as v from 'valibot';

const expected = ({ input }: v.BaseIssue<unknown>) =>
  `takes a whole number from 1 to 400, not "${input}"`;

/** How many days a report is about: today (UTC) and the days before. */
export const daysOption = (usual: string) =>
  v.object({
    days: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[1-9]\d{0,2}$/, expected),
        v.transform(Number),
        v.maxValue(400, expected),
      ),
      usual,
    ),
  });
