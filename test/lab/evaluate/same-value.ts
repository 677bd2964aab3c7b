/**
 * Whether two values mean the same: numbers by their value, texts whatever their case, spacing and width of characters.
 * What OCR has misread is not the same.
 */
export function isSame(expected: unknown, returned: unknown): boolean {
  if (typeof expected === 'string' && typeof returned === 'string') {
    return plain(expected) === plain(returned);
  }
  if (typeof expected === 'number' && typeof returned === 'number') {
    return Math.abs(expected - returned) <= 1e-9 * Math.max(1, Math.abs(expected));
  }
  return (expected ?? null) === (returned ?? null);
}

/** A text by which those that mean the same are found. */
export const keyOf = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(plain(value)) : JSON.stringify(value ?? null);

const plain = (text: string) => text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
