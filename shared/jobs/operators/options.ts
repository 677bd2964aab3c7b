import * as v from 'valibot';
import { Duration, subtractDuration } from '../../ledger/terms/duration.ts';
import { type JobStatus, jobStatuses } from '../engine/item/status.ts';

const takes = (what: string) => (issue: v.BaseIssue<unknown>) =>
  `takes ${what}, not "${issue.input}"`;

const statuses = `some of ${jobStatuses.join(', ')}, separated by commas`;

const Statuses = v.pipe(
  v.string(),
  v.check(
    (text) => text.split(',').every((each) => jobStatuses.includes(each as JobStatus)),
    takes(statuses),
  ),
  v.transform((text) => text.split(',') as JobStatus[]),
);

/** A length of time that ends now, parsed to its beginning in ms since 1970. */
const Since = v.pipe(
  v.config(Duration, { message: takes('a number and s, m, h, d, w or mo, as in 24h or 7d') }),
  v.transform((text) => subtractDuration(new Date(), text).getTime()),
);

/** Which jobs an operator means, as written on the command line. */
export const JobFilterOptions = v.object({
  key: v.optional(v.string()),
  status: v.optional(Statuses),
  error: v.optional(
    v.pipe(v.string(), v.regex(/^\S{1,100}$/, takes("the beginning of an error's code"))),
  ),
  since: v.optional(Since),
});
