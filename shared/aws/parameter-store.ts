import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

const parameterStore = new SSMClient({});

/** Reads a SecureString of Parameter Store by its name or ARN; undefined if it holds no text. Throws if there is none. */
export async function readSecretText(Name: string): Promise<string | undefined> {
  const { Parameter } = await parameterStore.send(
    new GetParameterCommand({ Name, WithDecryption: true }),
  );
  return Parameter?.Value;
}
