import { type ApiKey, stateOf } from './key.ts';
import { type KeyLimits, limitsOfKey } from './key-limits.ts';

/** A key as its operator sees it: without the hash of its secret; with the secret once, when issued. */
export interface KeyRecord extends KeyLimits {
  id: string;
  name: string;
  api_key?: string;
  state: ReturnType<typeof stateOf>;
  created_at: string;
}

/** Shows a key, and the secret if it was issued just now. */
export function keyRecord(key: ApiKey & { api_key?: string }): KeyRecord {
  const { id, name, api_key, created_at } = key;
  return {
    id,
    name,
    ...(api_key && { api_key }),
    ...limitsOfKey(key),
    state: stateOf(key),
    created_at,
  };
}
