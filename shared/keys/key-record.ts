import { type ApiKey, stateOf } from './key.ts';
import { type KeyLimits, limitsOfKey } from './key-limits.ts';

/** A key as its operator sees it, never with its secret's hash; with its secret only when that is new. */
export interface KeyRecord extends KeyLimits {
  id: string;
  name: string;
  api_key?: string;
  state: ReturnType<typeof stateOf>;
  created_at: string;
}

/** Makes the record of a key, with the secret if there is one. */
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
