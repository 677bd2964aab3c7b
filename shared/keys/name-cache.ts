import { findKey } from './key.ts';

/** As long as a changed key may take to count elsewhere. */
const cacheMs = 60_000;
const maxNames = 1_000;
const cache = new Map<string, { name: Promise<string | undefined>; untilMs: number }>();

/** What a key is called, for the log; undefined if that can't be read now. */
export function keyName(id: string): Promise<string | undefined> {
  const cached = cache.get(id);
  if (cached && cached.untilMs > Date.now()) return cached.name;
  if (cache.size >= maxNames) cache.clear();
  const name = findKey(id).then(
    (key) => key?.name,
    () => undefined,
  );
  cache.set(id, { name, untilMs: Date.now() + cacheMs });
  return name;
}
