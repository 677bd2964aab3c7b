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
