import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadReply } from './function-host.ts';

// The thread of one function: what Lambda's Node runtime is to a handler.

interface Invocation {
  id: string;
  payload: string;
  deadlineMs: number;
}

const { bundle, exportName, name, arn, memoryMb } = workerData as Record<string, string>;
process.setSourceMapsEnabled(true);
const { [exportName ?? '']: handler } = await import(pathToFileURL(bundle ?? '').href);

parentPort?.on('message', async (invocation: Invocation) => {
  parentPort?.postMessage(await run(invocation));
});
parentPort?.postMessage('ready');

async function run({ id, payload, deadlineMs }: Invocation): Promise<ThreadReply> {
  try {
    const result = await handler(JSON.parse(payload), contextOf(id, deadlineMs));
    return { id, payload: JSON.stringify(result ?? null) };
  } catch (error) {
    const { name: errorType, message, stack } = error as Error;
    console.error(JSON.stringify({ level: 'error', message: 'invocation failed', error: stack }));
    return { id, errorType, errorMessage: message };
  }
}

function contextOf(awsRequestId: string, deadlineMs: number) {
  return {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: arn,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    memoryLimitInMB: String(memoryMb),
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
}
