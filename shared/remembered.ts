/** Remembers what was read by a key for `forMs`, for at most `maxSize` keys. */
export function remembered<Value>(forMs: number, maxSize = 1_000) {
  const known = new Map<string, { value: Promise<Value>; readAtMs: number }>();
  return {
    /** Returns what is known by a key, or reads it. A read that fails is forgotten. */
    get(key: string, read: () => Promise<Value>): Promise<Value> {
      const now = Date.now();
      const before = known.get(key);
      // A clock may be set back.
      if (before && before.readAtMs <= now && now < before.readAtMs + forMs) return before.value;
      known.delete(key);
      if (known.size >= maxSize) known.delete(known.keys().next().value ?? '');
      const value = read();
      known.set(key, { value, readAtMs: now });
      value.catch(() => known.delete(key));
      return value;
    },
    forget(key: string): void {
      known.delete(key);
    },
  };
}
