import type { Caller } from '../http/caller.ts';
import { AuthenticationError } from '../http/errors.ts';
import { remembered } from '../remembered.ts';
import { callerOfKey, findKeyBySecret } from './key.ts';
import { hashSecret, secretPattern } from './secret.ts';

/** Callers are remembered as long as the gateway caches its authorizer's result. */
const callers = remembered<Caller>(60_000);

/** Finds the caller whose secret no authorizer has looked at. Throws `AuthenticationError` if no active key has it. */
export async function callerWithSecret(
  secret: string,
  refusal = 'The api_key is not valid.',
): Promise<Caller> {
  if (!secretPattern.test(secret)) throw new AuthenticationError(refusal);
  return callers.get(hashSecret(secret), async () => {
    const key = await findKeyBySecret(secret);
    if (!key) throw new AuthenticationError(refusal);
    return callerOfKey(key);
  });
}
