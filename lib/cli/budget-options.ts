import type * as v from 'valibot';
import type { KeyLimits } from '../../shared/keys/key-limits.ts';
import { eraseCustomer, readCustomers, readFurther } from '../../shared/ledger/owner-limits.ts';
import {
  type Calendar,
  calendarText,
  wrongInCalendar,
} from '../../shared/ledger/terms/calendar.ts';
import {
  furtherLimitTakes,
  identityOf,
  parseFurtherLimit,
} from '../../shared/ledger/terms/further-limit.ts';
import { catalogue, modelIds } from '../../shared/models/catalogue.ts';
import { type Arguments, readValues } from './arguments.ts';
import { CommandError, type Option, refuseTwice, timeNotes } from './command-line.ts';
import { aligned, dollars, minuteOf, printable } from './text.ts';

/** What a command says that shows limits beside the budget. */
export const limitsSaid =
  'Shows how much of each further limit is used and left, for each customer too.';

/** The options of a budget's windows, and of limits beside it. */
export const windowOptions = {
  limit: ['LIMIT', 'a further limit, see below; may be repeated; none removes all', 'many'],
  'per-customer': ['USD', 'what each customer may spend, as in 2/day; may be repeated', 'many'],
  'extra-usd': ['USD', 'raises the budget until it renews; 0 takes it back'],
  'erase-customer': ['NAME', 'erase this name from the list; what the customer used stays'],
  customer: ['NAME', 'gives --extra-usd to the limits of this customer, instead of the budget'],
  duration: ['TIME', 'the budget starts anew each time this has passed, as in 30d; needs a budget'],
  window: ['UNIT', 'or by the calendar, each day, week, month, quarter or year; needs a budget'],
  zone: ['ZONE', 'the time zone of that calendar, such as Europe/Berlin; default UTC'],
  anchor: [
    'DAY',
    'when a window begins: friday of weeks, 31 of months, 04-06 of quarters and years',
  ],
} as const satisfies Record<string, Option>;

/** What the help says of a command that sets limits. */
export const limitNotes = `${timeNotes}
LIMIT is budget-usd=USD/WINDOW, tokens-per-minute=N, requests-per-minute=N or max-concurrent=N, with a model (gpt-5:),
customer: (by metadata.customer) or user: (by that, or else the user that a request names) in front. WINDOW is a TIME, or
a day, week, month, quarter or year, as in month-15@Europe/Berlin. --budget-usd 5/day is --limit budget-usd=5/day, and
--per-customer 2/day is --limit customer:budget-usd=2/day. A limit that is there gets the new amount, or is removed by
none in its place; others stay.`;

/** Shows what is used and left of a key's or team's limits beside its budget, and of each customer. */
export async function showLimits(id: string, values: { [option: string]: string }) {
  const name = values['erase-customer'];
  if (name !== undefined && !(await eraseCustomer(id, name)))
    throw new CommandError(`No customer is listed as "${name}".`);
  const limits = (await readFurther(id)).filter(({ customer }) => customer === null);
  const customers = await Array.fromAsync(readCustomers(id));
  const all = [...limits, ...customers];
  const rows = all.map(({ limit, customer, unit, ...figures }) => {
    const text = (amount: number) => (unit === 'usd' ? dollars(amount) : String(amount));
    const { used, held, remaining, reset_at } = figures;
    const whose = customer === null ? '-' : printable(customer) || '(none named)';
    const amounts = [used, held, remaining].map(text);
    return [limit, whose, ...amounts, reset_at ? minuteOf(reset_at) : '-'];
  });
  const table = aligned([['limit', 'customer', 'used', 'held', 'left', 'resets'], ...rows]);
  return { json: { limits, customers }, text: all.length > 0 ? table : 'It has none.' };
}

const maxLimits = 8;
const windowTakes =
  'US dollars and a window, as in 5/day, 50/month@Europe/Berlin or 20/30d, or none/day for none';
/** The amount of a limit that is to be taken away. */
const noAmount = /=none(?=\/|$)/;

/** Reads the limits beside the budget that are given, by any of the options that set one. Throws CommandError. */
function limitsIn(lists: { [option: string]: string[] }): string[] {
  const namesBy = (option: string, start: string, takes: string, texts = lists[option] ?? []) =>
    texts.map((text) => {
      const name = `${start}${text}`;
      if (name === 'none' || parseFurtherLimit(name.replace(noAmount, '=0'))) return name;
      throw new CommandError(`--${option} takes ${takes}, not "${text}".`);
    });
  const windowed = lists['budget-usd']?.filter((text) => text.includes('/'));
  const names = [
    ...namesBy('budget-usd', 'budget-usd=', windowTakes, windowed),
    ...namesBy('limit', '', furtherLimitTakes),
    ...namesBy('per-customer', 'customer:budget-usd=', windowTakes),
  ];
  const twice = names.find((name, index) => names.findIndex(isLike(name)) < index);
  if (twice) throw new CommandError(`The limit ${identityOf(twice)} is given twice: give it once.`);
  return names;
}

/** Whether limits differ in their amount alone. */
const isLike = (name: string) => (other: string) => identityOf(name) === identityOf(other);

type Budget = Partial<Pick<KeyLimits, 'budget_usd' | 'duration' | 'limits'>>;

/** Returns what is asked of a key or a team, with all limits that it will have. Throws CommandError if it can't have it. */
export function changesTo<Asked extends Budget & { extra_usd?: number; customer?: string }>(
  before: Budget,
  asked: Asked,
): Asked {
  const { budget_usd, duration } = { ...before, ...asked };
  if (asked.extra_usd !== undefined && asked.customer === undefined && duration === null)
    throw new CommandError('--extra-usd is until a budget renews, and this one never does.');
  if (duration !== null && budget_usd === null)
    throw new CommandError(
      `The duration ${duration} needs a budget: give --budget-usd too, or --duration none.`,
    );
  const { limits: given } = asked;
  if (!given) return asked;
  const had = given.includes('none') ? [] : (before.limits ?? []);
  const isNew = (name: string) => !had.some(isLike(name));
  const absent = given.find((name) => noAmount.test(name) && isNew(name));
  if (absent) throw new CommandError(`There is no limit ${identityOf(absent)} to remove.`);
  const limits = [
    ...had.map((name) => given.find(isLike(name)) ?? name),
    ...given.filter(isNew),
  ].filter((name) => name !== 'none' && !noAmount.test(name));
  if (limits.length <= maxLimits) return { ...asked, limits };
  throw new CommandError(
    `${maxLimits} limits beside the budget are the most, not ${limits.length}.`,
  );
}

/** Refuses models that the target doesn't serve. What it serves is an output of its stack. */
export function refuseUnknownModels(
  { models, limits = [] }: Partial<Pick<KeyLimits, 'models' | 'limits'>>,
  { Models }: Record<string, string>,
): void {
  const engines = catalogue.ocrEngines.map(({ id }) => id);
  const served = Models ? [...Models.split(' '), ...engines] : modelIds;
  const limit = limits.flatMap((name) => parseFurtherLimit(name)?.model ?? []);
  for (const [option, ids] of Object.entries({ models: models ?? [], limit })) {
    const unknown = ids.filter((id) => !served.includes(id)).join(', ');
    if (!unknown) continue;
    throw new CommandError(
      `--${option} takes models of the catalogue (${served.join(', ')}), not "${unknown}".`,
    );
  }
}

/** Reads a budget, limits beside it, and what else a schema has; a calendar as its duration. Throws CommandError. */
export function readBudget<Limits extends Partial<Pick<KeyLimits, 'duration'>>>(
  schema: v.GenericSchema<unknown, Limits>,
  { values: given, lists }: Pick<Arguments<string>, 'values' | 'lists'>,
): Limits & { limits?: string[] } {
  const { window, zone, anchor, ...values } = given;
  const budgets = lists['budget-usd']?.filter((text) => !text.includes('/')) ?? [];
  refuseTwice(budgets.map(() => 'budget-usd'));
  const [budget] = budgets;
  const beside = limitsIn(lists);
  const limits = {
    ...readValues(schema, { ...values, ...(budget !== undefined && { 'budget-usd': budget }) }),
    ...(beside.length > 0 && { limits: beside }),
  };
  if (values['customer'] !== undefined && values['extra-usd'] === undefined)
    throw new CommandError('--customer needs --extra-usd too.');
  const isLone = window === undefined && (zone !== undefined || anchor !== undefined);
  if (isLone) throw new CommandError('--zone and --anchor need --window too.');
  if (window === undefined) return limits;
  if (limits.duration !== undefined)
    throw new CommandError('Give --duration or --window, not both.');
  const calendar = { window: window as Calendar['window'], zone: zone ?? 'UTC', anchor };
  const [name, takes] = wrongInCalendar(calendar) ?? [];
  if (name) throw new CommandError(`--${name} takes ${takes}, not "${calendar[name]}".`);
  return { ...limits, duration: calendarText(calendar) };
}
