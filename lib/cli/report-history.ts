import type { KeyChange } from '../../shared/keys/history.ts';
import { dollars, minuteOf, printable } from './text.ts';

/** Describes changes of keys or teams; of a new one only the limits that differ from those of any. */
export function describeHistory(changes: readonly KeyChange[], usual: object): string {
  if (changes.length === 0) return 'No change is written down.';
  return changes.map((change) => describe(change, usual)).join('\n\n');
}

function describe(change: KeyChange, usual: object): string {
  const { at, by, action, key_id, fields, old_secret_until } = change;
  const told = Object.entries(fields)
    .filter(([name, { new: value }]) => action !== 'created' || !isUsual(usual, name, value))
    .sort(([a], [b]) => a.localeCompare(b));
  const lines = told.map(([name, field]) =>
    action === 'created'
      ? `${name}: ${written(name, field.new)}`
      : `${name}: ${written(name, field.old)} → ${written(name, field.new)}${sameHost(field)}`,
  );
  if (old_secret_until) lines.push(`the old secret works until ${minuteOf(old_secret_until)}`);
  if (action === 'changed' && told.length === 0) lines.push('nothing differed');
  const heading = `${minuteOf(at)}  ${action}  ${key_id}  by ${printable(by ?? 'nobody known')}`;
  return [heading, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Only the origin of a webhook is written down: another path, or the same address set again, shows no difference. */
const sameHost = ({ old, new: now }: KeyChange['fields'][string]) =>
  old === now ? ' (set again, or with another path)' : '';

function isUsual(usual: object, name: string, value: unknown): boolean {
  const usually = { state: 'active', ...usual } as Record<string, unknown>;
  return JSON.stringify(usually[name] ?? null) === JSON.stringify(value);
}

function written(name: string, value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (name.endsWith('_usd')) return dollars(Number(value));
  return printable(Array.isArray(value) ? value.join(', ') : String(value));
}
