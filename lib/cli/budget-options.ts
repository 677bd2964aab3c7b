import type * as v from 'valibot';
import type { KeyLimits } from '../../shared/keys/key-limits.ts';
import { eraseCustomer, readCustomers, readFurther } from '../../shared/ledger/further-limits.ts';
import {
  type Calendar,
  calendarText,
  wrongInCalendar,
} from '../../shared/ledger/terms/calendar.ts';
import { readValues } from './arguments.ts';
import { CommandError, type Option } from './command-line.ts';
import { aligned, dollars, minuteOf } from './text.ts';

/** What a command says that shows limits beside the budget. */
export const limitsSaid =
  'Shows what is used and left of the limits beside the budget, and of each customer.';

/** What takes a customer's name from what `limits` shows. */
export const eraseOption = {
  'erase-customer': ['NAME', 'erase this name from the list; what the customer used stays'],
} as const satisfies Record<string, Option>;

/** What is said of a budget's windows; an extra of a change alone. */
export const windowOptions = {
  'extra-usd': ['USD', 'what the budget has more until it renews next; 0 takes it back'],
  limits: [
    'LIST',
    'limits beside the budget, as in gpt-5:budget-usd=50/month,customer:budget-usd=2/day; none: none',
  ],
  duration: ['TIME', 'the budget starts anew each time this has passed, as in 30d; needs a budget'],
  window: ['UNIT', 'or by the calendar, each day, week, month, quarter or year; needs a budget'],
  zone: ['ZONE', 'the time zone of that calendar, such as Europe/Berlin; default UTC'],
  anchor: [
    'DAY',
    'when a window begins: friday of weeks, 31 of months, 04-06 of quarters and years',
  ],
} as const satisfies Record<string, Option>;

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
    const whose = customer === null ? '-' : customer || '(none named)';
    const amounts = [used, held, remaining].map(text);
    return [limit, whose, ...amounts, reset_at ? minuteOf(reset_at) : '-'];
  });
  const table = aligned([['limit', 'customer', 'used', 'held', 'left', 'resets'], ...rows]);
  return { json: { limits, customers }, text: all.length > 0 ? table : 'It has none.' };
}

/** Refuses a duration of no budget, and an extra of no window. */
export function refuseDurationAlone({
  budget_usd,
  duration,
  extra_usd,
}: Pick<KeyLimits, 'budget_usd' | 'duration'> & { extra_usd?: number }): void {
  if (extra_usd !== undefined && duration === null)
    throw new CommandError('--extra-usd is until a budget renews, and this one never does.');
  if (duration === null || budget_usd !== null) return;
  throw new CommandError(
    `The duration ${duration} needs a budget: give --budget-usd too, or --duration none.`,
  );
}

/** Reads a budget and what else a schema has; a calendar of `--window` as its duration. Throws CommandError. */
export function readBudget<Limits extends Partial<Pick<KeyLimits, 'duration'>>>(
  schema: v.GenericSchema<unknown, Limits>,
  { window, zone, anchor, ...values }: { [option: string]: string },
): Limits {
  const limits = readValues(schema, values);
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
