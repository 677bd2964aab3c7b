import * as v from 'valibot';
import { firstKeptDay } from './charges.ts';
import { dayOf } from './day.ts';

const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(text) === text;

const Day = v.pipe(
  v.string(),
  v.check(isDay, ({ input }) => `takes a day such as 2026-11-01, not "${input}"`),
  v.check(
    (day) => day >= firstKeptDay(),
    () => `takes a day from ${firstKeptDay()} on, as charges are kept for 400 days`,
  ),
);

/** The first day of a check, as an operator writes it on the command line. */
export const CheckOptions = v.object({ from: v.exactOptional(Day) });

/** The days of an export as an operator writes them: this month so far, unless others are given. */
export const ExportDays = v.object({
  from: v.optional(Day, () => `${dayOf(Date.now()).slice(0, 8)}01`),
  to: v.optional(Day, () => dayOf(Date.now())),
});
