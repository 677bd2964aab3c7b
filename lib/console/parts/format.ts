/** Writes an amount: in cents, or below a dollar by its first three digits, so that a cheap call isn't $0.00. */
export function usd(amount: number): string {
  const magnitude = amount === 0 ? 0 : Math.floor(Math.log10(Math.abs(amount)));
  return amount.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: magnitude < 0 ? Math.min(9, 2 - magnitude) : 2,
  });
}

export const count = (value: number) => value.toLocaleString('en-US');

/** Writes a size: `812 bytes`, `3.5 MB`. */
export function bytes(size: number): string {
  if (size < 1000) return counted(size, 'byte');
  const power = Math.min(3, Math.floor(Math.log10(size) / 3));
  const amount = size / 1000 ** power;
  return `${amount.toFixed(amount < 100 ? 1 : 0)} ${['', 'KB', 'MB', 'GB'][power]}`;
}

/** `1 image`, `2 images`. */
export const counted = (value: number, noun: string, plural = `${noun}s`) =>
  `${count(value)} ${value === 1 ? noun : plural}`;

/** Writes an instant in the reader's own time zone. */
export const moment = (instant: string, timeStyle: 'short' | 'medium' = 'short') =>
  new Date(instant).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle });

/** Writes instants that follow each other, with seconds where two would be the same without. */
export function moments(instants: string[]): string[] {
  const short = instants.map((each) => moment(each));
  const isSame = new Set(short).size < short.length;
  return isSame ? instants.map((each) => moment(each, 'medium')) : short;
}

/** Writes a day, by UTC as statistics have it, without its year. */
export const day = (ms: number) =>
  new Date(ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const units: [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** Writes a span by its largest unit: `3 days`, `1.4 s`, `80 ms`. */
export function span(ms: number): string {
  for (const [unitMs, name] of units) {
    if (ms >= unitMs) return counted(Math.round(ms / unitMs), name);
  }
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s` : `${Math.round(ms)} ms`;
}

/** Writes how long ago an instant was. */
export function ago(instant: string): string {
  const ms = Date.now() - Date.parse(instant);
  return ms < 10_000 ? 'just now' : `${span(ms)} ago`;
}
