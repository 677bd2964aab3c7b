import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { timeouts } from './timeouts.ts';

const secretsManager = new SecretsManagerClient(timeouts({ responseMs: 3_000 }));

/** Reads a secret of Secrets Manager by its name or ARN; undefined if it holds no text. Throws if there is none. */
export async function readSecretText(SecretId: string): Promise<string | undefined> {
  const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}
