import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadReply } from './invocation.ts';
import { AnswerStream, withHead } from './response-stream.ts';

// The thread of one function: what Lambda's Node runtime is to a handler.

interface Invocation {
  id: string;
  payload: string;
  deadlineMs: number;
}

type Handler = (event: unknown, context: object) => unknown;
type StreamingHandler = (event: unknown, answer: AnswerStream, context: object) => unknown;

const streaming = new WeakSet<object>();
const answers = new Map<string, AnswerStream>();

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler) => {
      streaming.add(handler);
      return handler;
    },
    HttpResponseStream: { from: withHead },
  },
});

const { bundle, exportName, name, arn, memoryMb } = workerData as Record<string, string>;
process.setSourceMapsEnabled(true);
const { [exportName ?? '']: handler } = await import(pathToFileURL(bundle ?? '').href);

parentPort?.on('message', async (message: Invocation | { taken: string }) => {
  if ('taken' in message) answers.get(message.taken)?.taken();
  else parentPort?.postMessage(await run(message));
});
parentPort?.postMessage('ready');

async function run({ id, payload, deadlineMs }: Invocation): Promise<ThreadReply> {
  const event = JSON.parse(payload);
  const context = contextOf(id, deadlineMs);
  try {
    const result = streaming.has(handler)
      ? await runStreaming(id, event, context)
      : await (handler as Handler)(event, context);
    return { id, payload: JSON.stringify(result ?? null) };
  } catch (error) {
    const { name: errorType, message, stack } = error as Error;
    console.error(JSON.stringify({ level: 'error', message: 'invocation failed', error: stack }));
    return { id, errorType, errorMessage: message };
  }
}

async function runStreaming(id: string, event: unknown, context: object): Promise<null> {
  const answer = new AnswerStream((reply) => parentPort?.postMessage({ id, ...reply }));
  answers.set(id, answer);
  try {
    await (handler as StreamingHandler)(event, answer, context);
    await answer.finished();
    return null;
  } finally {
    answers.delete(id);
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
