import type { ClientOptions } from 'openai';
import { forgetSecret, secretText } from '../aws/secrets.ts';
import { signingFetch } from '../aws/signing-fetch.ts';
import { setting } from '../config.ts';
import { boundedFetch, withBoundedErrors } from './bounded-fetch.ts';
import type { Upstream } from './catalogue.ts';

/** Returns an upstream's API key, or for Bedrock what signs with this function's own credentials. */
export async function credentialsFor({
  secret,
  awsRegion,
}: Upstream): Promise<Pick<ClientOptions, 'apiKey' | 'fetch'>> {
  if (secret) return { apiKey: await secretText(secretIdOf(secret)), fetch: boundedFetch };
  // The client wants a key; the signature takes its place.
  return { apiKey: 'none', fetch: withBoundedErrors(signingFetch('bedrock', awsRegion ?? '')) };
}

/** Forgets a refused key, as it may have been rotated. Returns whether there was one. */
export function forgetCredentials({ secret }: Upstream): boolean {
  if (secret) forgetSecret(secretIdOf(secret));
  return secret !== undefined;
}

function secretIdOf(name: string): string {
  const secretId = setting('PROVIDER_SECRETS')[name];
  if (!secretId) throw new Error(`PROVIDER_SECRETS names no secret for ${name}`);
  return secretId;
}
