import { hash } from 'node:crypto';

/** Returns what the UUIDv7 of an instant begins with: its first 48 bits are the time, in ms. */
export function uuidPrefix(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/**
 * Reads the time, in ms, from an id that is a UUIDv7 behind a prefix, such as `charge_…` or `job_…`.
 * @see https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7
 */
export function timeOfId(id: string): number {
  const [high = '', low = ''] = id.replace(/^[a-z]+_/, '').split('-');
  return Number.parseInt(high + low, 16);
}

/** Returns a UUIDv7 that begins so, always the same for the same name. */
export function uuidNamed(prefix: string, name: string): string {
  const hex = hash('sha256', name);
  const variant = '89ab'[Number.parseInt(hex.charAt(3), 16) % 4];
  return `${prefix}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
}
