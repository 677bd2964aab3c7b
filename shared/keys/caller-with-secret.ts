import type { Caller } from '../http/caller.ts';
import { AuthenticationError } from '../http/errors.ts';
import { findKeyBySecret } from './key.ts';
import { limitsOfKey } from './key-limits.ts';
import { hashSecret, secretPattern } from './secret.ts';

/** As long as the gateway caches the result of its authorizer. */
const cacheMs = 60_000;
const cache = new Map<string, { caller: Caller; untilMs: number }>();

/** Finds the caller whose secret no authorizer has looked at. Throws `AuthenticationError` if no active key has it. */
export async function callerWithSecret(
  secret: string,
  refusal = 'The api_key is not valid.',
): Promise<Caller> {
  if (!secretPattern.test(secret)) throw new AuthenticationError(refusal);
  const hash = hashSecret(secret);
  const cached = cache.get(hash);
  if (cached && cached.untilMs > Date.now()) return cached.caller;

  const key = await findKeyBySecret(secret);
  if (!key) throw new AuthenticationError(refusal);
  const caller = { keyId: key.id, keyName: key.name, limits: JSON.stringify(limitsOfKey(key)) };
  cache.set(hash, { caller, untilMs: Date.now() + cacheMs });
  return caller;
}
