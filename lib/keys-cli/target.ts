import { once } from 'node:events';
import { connect } from 'node:net';
import { clientEnvironment } from '../local/client-config.ts';
import { readStageFile } from '../local/stage-file.ts';
import { CommandError } from './command-error.ts';

/** Leads this process to the keys of a deployed stack or, without one, of the running local stage. */
export async function reachKeys({ stack, data }: { stack?: string; data?: string }): Promise<void> {
  if (stack !== undefined && data !== undefined) {
    throw new CommandError('--stack and --data name two targets: give one of them.');
  }
  await (stack === undefined ? reachStage(data ?? '.local') : reachStack(stack));
}

async function reachStage(dataDir: string): Promise<void> {
  const stage = readStageFile(dataDir);
  if (!stage || !(await listens(stage.dynamodb_url))) {
    const start = dataDir === '.local' ? 'npm start' : `npm start -- --data ${dataDir}`;
    throw new CommandError(
      `No local stage is running in ${dataDir}: start it with ${start}, or name a deployed one with --stack.`,
    );
  }
  // A profile would come before the keys of the environment.
  delete process.env['AWS_PROFILE'];
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_DYNAMODB: stage.dynamodb_url,
    ...tablesOf(stage.outputs, `${dataDir}/stage.json`),
  });
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

async function reachStack(stackName: string): Promise<void> {
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const { Stacks } = await new CloudFormationClient({})
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch((error: Error) => {
      if (!error.message.includes('does not exist')) throw error;
      throw new CommandError(`There is no stack ${stackName} in this account and region.`, {
        cause: error,
      });
    });
  const outputs = (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [
    OutputKey,
    OutputValue,
  ]);
  Object.assign(process.env, tablesOf(Object.fromEntries(outputs), `The stack ${stackName}`));
}

function tablesOf(outputs: Record<string, string>, whose: string): Record<string, string> {
  const { KeysTable, LedgerTable } = outputs;
  if (!KeysTable || !LedgerTable) {
    throw new CommandError(`${whose} has no outputs KeysTable and LedgerTable: is it Quire's?`);
  }
  return { KEYS_TABLE: KeysTable, LEDGER_TABLE: LedgerTable };
}
