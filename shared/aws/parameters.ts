import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

const parameterStore = new SSMClient({});

/** Reads a SecureString of Parameter Store. Throws if there is none. */
export async function readParameter(Name: string): Promise<string | undefined> {
  const { Parameter } = await parameterStore.send(
    new GetParameterCommand({ Name, WithDecryption: true }),
  );
  return Parameter?.Value;
}
