import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { timeouts } from './timeouts.ts';

const parameterStore = new SSMClient(timeouts({ responseMs: 3_000 }));

/** What stands for a parameter that the operator has yet to make: no provider takes it, and each says so. */
const placeholder = 'not-set';

/** Reads a SecureString of Parameter Store by its name or ARN; a placeholder if there is none yet. */
export async function readSecretText(Name: string): Promise<string | undefined> {
  try {
    const asked = new GetParameterCommand({ Name, WithDecryption: true });
    const { Parameter } = await parameterStore.send(asked);
    return Parameter?.Value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return placeholder;
    throw error;
  }
}
