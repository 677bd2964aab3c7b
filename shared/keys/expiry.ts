import * as v from 'valibot';
import { addDuration, Duration } from '../ledger/duration.ts';

/**
 * A moment in the future, written as a date, a date and time with its zone, or a duration from now. It is
 * parsed to ISO 8601.
 */
export const Expiry = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
    const moment = momentOf(value);
    if (moment && moment > new Date()) return moment.toISOString();
    const what = moment
      ? 'a time to come'
      : 'a date (UTC) such as 2030-01-31, or a time from now such as 90d';
    addIssue({ message: `takes ${what}, not "${value}"` });
    return NEVER;
  }),
);

const isoDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

function momentOf(text: string): Date | undefined {
  if (v.safeParse(Duration, text).success) return addDuration(new Date(), text);
  return isoDate.test(text) && isMoment(text.slice(0, 10)) && isMoment(text)
    ? new Date(text)
    : undefined;
}

/** Whether a date exists. `Date` alone takes the 31st of February for a day in March. */
function isMoment(iso: string): boolean {
  const read = new Date(iso);
  if (Number.isNaN(read.getTime())) return false;
  return iso.includes('T') || read.toISOString().startsWith(iso);
}
