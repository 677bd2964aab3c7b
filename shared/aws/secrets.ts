import { readSecretText } from '#secret-store';

const cacheMs = 5 * 60_000;
const cache = new Map<string, { value: Promise<string>; untilMs: number }>();

/** Reads a secret's text, at most once in five minutes. Throws if it holds none, and doesn't remember that. */
export function secretText(secretId: string): Promise<string> {
  const cached = cache.get(secretId);
  if (cached && cached.untilMs > Date.now()) return cached.value;

  const value = read(secretId);
  cache.set(secretId, { value, untilMs: Date.now() + cacheMs });
  value.catch(() => forgetSecret(secretId));
  return value;
}

/** Drops a secret from the cache, so that the next read sees a rotated value. */
export function forgetSecret(secretId: string): void {
  cache.delete(secretId);
}

async function read(secretId: string): Promise<string> {
  const text = await readSecretText(secretId);
  if (!text) throw new Error(`The secret ${secretId} holds no text`);
  return text;
}
