import * as v from 'valibot';
import { addDuration, Duration } from '../ledger/terms/duration.ts';

/** A moment in the future as ISO 8601: given as a date, a date and time with its zone, or a duration from now. */
const Expiry = v.pipe(
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

const takes = (what: string) => (issue: v.BaseIssue<unknown>) =>
  `takes ${what}, not "${issue.input}"`;

const matching = (pattern: RegExp, what: string) =>
  v.pipe(v.string(), v.regex(pattern, takes(what)));

const always = <Value>(value: Value) =>
  v.pipe(
    v.string(),
    v.transform(() => value),
  );

const orNone = <None, Output>(none: None, schema: v.GenericSchema<string, Output>) =>
  v.lazy((text) => (text === 'none' ? always<None | Output>(none) : schema));

/** The largest budget that an operator can set: its nano-dollars are exact in a double. */
const maxUsd = 1_000_000;
const usd = `US dollars from 0 to ${maxUsd}, with at most 9 decimals, as in 12.50`;

const Usd = v.pipe(
  v.string(),
  v.regex(/^\d+(\.\d{1,9})?$/, takes(usd)),
  v.transform(Number),
  v.maxValue(maxUsd, takes(usd)),
);

const countBetween = (min: number, max: number) => {
  const what = `a whole number from ${min} to ${max}`;
  return v.pipe(
    matching(/^\d{1,9}$/, what),
    v.transform(Number),
    v.minValue(min, takes(what)),
    v.maxValue(max, takes(what)),
  );
};

const Count = countBetween(0, 999_999_999);

const listOf = (item: string, what: string) =>
  v.pipe(
    matching(new RegExp(`^${item}( *, *${item})*$`), `${what}, separated by commas`),
    v.transform((text) => [...new Set(text.split(',').map((each) => each.trim()))]),
  );

const Folders = listOf('[\\w.-]+', 'ids of folders');

const Models = listOf('[^\\s,]+', 'names of models');

const webhookUrl = 'an https:// address, or an http:// one of this machine for the local stage';
/** A webhook's address, by name or number: the address it resolves to is checked at each try. */
const WebhookUrl = v.pipe(
  matching(/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/, webhookUrl),
  v.check((text) => {
    const url = URL.parse(text);
    return url !== null && url.username === '' && url.password === '' && text.length <= 2_048;
  }, takes(webhookUrl)),
);

const TimeSpan = v.config(Duration, {
  message: takes('a positive number and s, m, h, d, w or mo, as in 30d, up to a century'),
});

const TimeSpanMs = v.pipe(
  TimeSpan,
  v.transform((text) => addDuration(new Date(), text).getTime() - Date.now()),
);

const Name = matching(/^(?=.*\S)\P{Cc}{1,100}$/u, '1 to 100 printable characters');

const budgetOptions = {
  name: v.exactOptional(Name),
  budget_usd: v.exactOptional(orNone(null, Usd)),
  duration: v.exactOptional(orNone(null, TimeSpan)),
  extra_usd: v.exactOptional(Usd),
  customer: v.exactOptional(v.string()),
  webhook: v.exactOptional(orNone(null, WebhookUrl)),
};

/** A team's name, budget and webhook as an operator writes them on the command line. */
export const TeamOptions = v.object(budgetOptions);

/** A key's name and limits on the command line, with `none` for no limit. Messages continue the option's name. */
export const KeyOptions = v.pipe(
  v.object({
    ...budgetOptions,
    team: v.exactOptional(orNone(null, Name)),
    images_per_hour: v.exactOptional(Count),
    requests_per_minute: v.exactOptional(orNone(null, Count)),
    max_concurrent: v.exactOptional(orNone(null, Count)),
    weight: v.exactOptional(countBetween(1, 1000)),
    best_priority: v.exactOptional(countBetween(1, 100)),
    max_queued: v.exactOptional(orNone(null, Count)),
    max_running: v.exactOptional(orNone(null, countBetween(1, 1000))),
    models: v.exactOptional(orNone(null, Models)),
    drive_folders: v.exactOptional(orNone([], Folders)),
    research_usd: v.exactOptional(orNone(null, Usd)),
    expires: v.exactOptional(orNone(null, Expiry)),
  }),
  v.transform(({ expires, ...options }) => ({
    ...options,
    ...(expires !== undefined && { expires_at: expires }),
  })),
);

/** How long the old secret of a rotated key still works. It is parsed to ms. */
export const RotationOptions = v.object({
  grace: v.optional(
    v.lazy((text) => (text === '0' ? always(0) : TimeSpanMs)),
    '24h',
  ),
});
