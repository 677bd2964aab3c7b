import { once } from 'node:events';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { clientEnvironment } from '../local/engines/client-config.ts';
import { reachDirectly } from '../local/engines/no-proxy.ts';
import { readStageFile } from '../local/stage-file.ts';
import { CommandError } from './command-line.ts';

/** The settings that commands work with, and the outputs of the stack that hold them. */
export const outputOf = {
  DRIVE_SECRET: 'GoogleDriveSecret',
  CHAT_DEAD_LETTERS_URL: 'ChatDeadLetters',
  CHAT_QUEUE_URL: 'ChatQueue',
  FILES_TABLE: 'FilesTable',
  FILE_QUOTA: 'FileQuota',
  FOLDER_DEAD_LETTERS_URL: 'FolderDeadLetters',
  FOLDER_QUEUE_URL: 'FolderQueue',
  JOBS_TABLE: 'JobsTable',
  JOB_RETENTION_DAYS: 'JobRetentionDays',
  KEYS_TABLE: 'KeysTable',
  LANE_SHARDS: 'LaneShards',
  LEDGER_TABLE: 'LedgerTable',
  OCR_DEAD_LETTERS_URL: 'OcrDeadLetters',
  OCR_QUEUE_URL: 'OcrQueue',
  USAGE_TABLE: 'UsageTable',
  FEEDBACK_TABLE: 'FeedbackTable',
  WEBHOOKS_TABLE: 'WebhooksTable',
};

type NameSetting = keyof typeof outputOf;

/** Where a command works: on a deployed stack, or on the local stage with this data folder. */
export interface Target {
  stack?: string;
  data?: string;
}

/** Points this process at a deployed stack's tables and secret or, without one, at the running local stage's. */
export async function reach({ stack, data }: Target, ...names: NameSetting[]): Promise<Outputs> {
  if (stack !== undefined && data !== undefined) {
    throw new CommandError('--stack and --data name two targets: give one of them.');
  }
  return stack === undefined ? reachStage(data ?? '.local', names) : reachStack(stack, names);
}

/** The stack's outputs by name. */
type Outputs = Record<string, string>;

async function reachStage(dataDir: string, wanted: NameSetting[]): Promise<Outputs> {
  const stage = readStageFile(dataDir);
  if (!stage || !(await listens(stage.dynamodb_url))) {
    const start = dataDir === '.local' ? 'npm start' : `npm start -- --data ${dataDir}`;
    throw new CommandError(
      `No local stage is running in ${dataDir}: start it with ${start}, or name a deployed one with --stack.`,
    );
  }
  reachDirectly();
  // The SDK would prefer a profile's credentials to the environment's.
  delete process.env['AWS_PROFILE'];
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_DYNAMODB: stage.dynamodb_url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: stage.secrets_url,
    AWS_ENDPOINT_URL_SSM: stage.secrets_url,
    // A queue's URL names the engine's host. A client that is not given that host warns at each call.
    ...(stage.outputs['ChatQueue'] && {
      AWS_ENDPOINT_URL_SQS: new URL(stage.outputs['ChatQueue']).origin,
    }),
    GOOGLE_DRIVE_URL: stage.drive_url,
    AWS_SECRET_ACCESS_KEY: stage.secret_access_key,
    ...namesOf(wanted, stage.outputs, `${dataDir}/stage.json`),
  });
  return stage.outputs;
}

async function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function reachStack(stackName: string, wanted: NameSetting[]): Promise<Outputs> {
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const { Stacks } = await new CloudFormationClient(farTimeouts)
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch((error: Error) => {
      if (!error.message.includes('does not exist')) throw error;
      throw new CommandError(`There is no stack ${stackName} in this account and region.`, {
        cause: error,
      });
    });
  const outputs: Outputs = Object.fromEntries(
    (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  Object.assign(process.env, namesOf(wanted, outputs, `The stack ${stackName}`));
  return outputs;
}

function namesOf(
  settings: NameSetting[],
  outputs: Outputs,
  whose: string,
): Record<string, string | undefined> {
  const wanted = settings.map((name) => outputOf[name]);
  const missing = wanted.filter((output) => !outputs[output]);
  if (missing.length > 0) {
    throw new CommandError(
      `${whose} has no output ${missing.join(', ')}: is it Quire's, and of this version?`,
    );
  }
  return Object.fromEntries(settings.map((name) => [name, outputs[outputOf[name]]]));
}

/**
 * Names for histories the person at this command: the user of this machine, the AWS identity, or, if that can't be asked
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

/** The timeouts of clients that commands have of their own: they run on an operator's machine, far from AWS. */
export const farTimeouts = {
  requestHandler: {
    connectionTimeout: 3_000,
    requestTimeout: 5_000,
    throwOnRequestTimeout: true,
    socketTimeout: 5_000,
  },
};
