import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

const secretsManager = new SecretsManagerClient({});
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
  const text = await (isParameter(secretId) ? readParameter : readSecret)(secretId);
  if (!text) throw new Error(`The secret ${secretId} holds no text`);
  return text;
}

/** Whether an ARN is of a parameter of Systems Manager, and not of a secret of Secrets Manager. */
const isParameter = (arn: string) => arn.split(':')[2] === 'ssm';

async function readSecret(SecretId: string): Promise<string | undefined> {
  const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}

/** The client is there only where secrets are parameters: others need not load it. */
async function readParameter(arn: string): Promise<string | undefined> {
  const parameters = await import('./parameters.ts');
  return parameters.readParameter(arn);
}
