import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { gatherLines } from '../gather-lines.ts';
import { keepCompiled } from '../keep-compiled.ts';
import { guardRequests, instrumentOf } from '../permissions/guard.ts';
import type { Permissions } from '../permissions/policies.ts';
import type {
  InvocationEnd,
  InvocationMessage,
  RuntimeMessage,
  RuntimeReply,
  SandboxMessage,
} from './invocation.ts';
import { ResponseStream, withHead } from './response-stream.ts';

// The thread, or the process, of one function, which does for a handler what Lambda's Node runtime does.
// @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html

type Handler = (event: unknown, context: object) => unknown;
type StreamingHandler = (event: unknown, response: ResponseStream, context: object) => unknown;

const streamingHandlers = new WeakSet<object>();
const openStreams = new Map<string, ResponseStream>();

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler) => {
      streamingHandlers.add(handler);
      return handler;
    },
    HttpResponseStream: { from: withHead },
  },
});

interface RuntimeData
  extends Record<'bundle' | 'exportName' | 'name' | 'arn' | 'memoryMb', string> {
  permissions: Permissions;
}

if (!parentPort) endWithStage();
const given = parentPort ? workerData : (await once(process, 'message'))[0];
const { bundle, exportName, name, arn, memoryMb, permissions } = given as RuntimeData;
const instrument = await instrumentOf(name);
guardRequests({ permissions, instrument });
process.setSourceMapsEnabled(true);
gatherLines(process.stdout);
const { [exportName]: handler } = await import(pathToFileURL(bundle).href);
keepCompiled();
// V8 lets a small heap grow by little before it collects all of it: every four seconds in a function under load. It may
// grow to four times of what is in use, and to its function's memory at most. As an option of Node's start this would have
// Node compile its own modules, which it has compiled for no such option: a third of what a process takes to load.
setFlagsFromString('--heap-growing-percent=300');

const stage = parentPort ?? process;
stage.on('message', async (message: SandboxMessage) => {
  if (message === 'end') end();
  else if ('chunkTakenOf' in message) openStreams.get(message.chunkTakenOf)?.chunkTaken();
  else reply(await run(message));
});
post('ready');

function post(message: RuntimeMessage): void {
  if (parentPort) parentPort.postMessage(message);
  else process.send?.(message);
}

/** Has a process end with the stage, also with a killed one; and before it where the machine's memory is full. */
function endWithStage(): void {
  process.on('disconnect', () => process.exit());
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {}
}

/** Ends as Lambda ends a sandbox: code that wants to do something before listens to the signal, and exits. */
function end(): void {
  if (!process.emit('SIGTERM')) process.exit();
}

let replies: RuntimeReply[] = [];

/** Sends a reply together with others of the same moment, as each message takes both threads a while. */
function reply(next: RuntimeReply): void {
  if (replies.push(next) > 1) return;
  setImmediate(() => {
    post(replies);
    replies = [];
  });
}

async function run({ id, payload, deadlineMs }: InvocationMessage): Promise<InvocationEnd> {
  instrument?.begins();
  const event = JSON.parse(payload);
  const context = contextOf(id, deadlineMs);
  try {
    const result = streamingHandlers.has(handler)
      ? await runStreaming(id, event, context)
      : await (handler as Handler)(event, context);
    return { id, payload: JSON.stringify(result ?? null) };
  } catch (error) {
    const { name: errorType, message, stack } = error as Error;
    console.error(JSON.stringify({ level: 'error', message: 'invocation failed', error: stack }));
    return { id, errorType, errorMessage: message };
  } finally {
    instrument?.ends();
  }
}

async function runStreaming(id: string, event: unknown, context: object): Promise<null> {
  const response = new ResponseStream((piece) => reply({ id, ...piece }));
  openStreams.set(id, response);
  try {
    await (handler as StreamingHandler)(event, response, context);
    await finished(response);
    return null;
  } finally {
    openStreams.delete(id);
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
