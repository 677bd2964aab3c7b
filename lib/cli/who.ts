import { userInfo } from 'node:os';
import { farTimeouts } from './far-timeouts.ts';
import type { Target } from './target.ts';

/**
 * Says for histories who runs this command: the user of this machine, the AWS identity, or, if that can't be asked
 * for, the access key's id.
 */
export async function whoRuns({ stack }: Target): Promise<string> {
  return stack === undefined ? machineUser() : awsIdentity();
}

/** The number of a user who has no name, as in many containers. */
function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

async function awsIdentity(): Promise<string> {
  const { STSClient, GetCallerIdentityCommand } = await import('@aws-sdk/client-sts');
  const sts = new STSClient({ maxAttempts: 2, ...farTimeouts });
  try {
    const { Arn } = await sts.send(new GetCallerIdentityCommand());
    if (Arn) return Arn;
  } catch (error) {
    console.error(`AWS did not say who you are: ${(error as Error).message}`);
  }
  const { accessKeyId } = await sts.config.credentials();
  return `access key ${accessKeyId}`;
}
