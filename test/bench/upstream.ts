import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

// A stub upstream in a process of its own. The first message's content says in how many chunks it streams, and how
// many ms apart ("20 100"); an answer that isn't streamed takes as long. After "hold" answers that aren't streamed wait for
// "go on". It answers any message of its parent process with the number of calls so far.

interface Asked {
  stream?: boolean;
  messages: { content: string | { text?: string }[] }[];
}

const usageOf = (completion_tokens: number) => ({
  prompt_tokens: 10,
  completion_tokens,
  total_tokens: 10 + completion_tokens,
});

let calls = 0;
let goOn: PromiseWithResolvers<void> | undefined;

const server = createServer(async (request, response) => {
  // Other gateways look whether it is there.
  if (request.method !== 'POST') {
    response.end('{}');
    return;
  }
  calls += 1;
  const body = (await json(request)) as Asked;
  if (!body.stream) await goOn?.promise;
  const { content = '' } = body.messages[0] ?? {};
  const asked = typeof content === 'string' ? content : (content.at(-1)?.text ?? '');
  const [, kind, mb] = /^(whole|error|line) (\d+)$/.exec(asked) ?? [];
  if (kind) return large(response, kind, Number(mb));
  const [chunks = 20, delayMs = 0] = asked.split(' ').map((each) => Number(each) || 0);
  if (body.stream) await stream(response, chunks, delayMs);
  else setTimeout(() => answer(response), delayMs > 0 ? chunks * delayMs : 0);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : 0);
});
process.on('message', (message) => {
  if (message === 'hold') goOn ??= Promise.withResolvers();
  if (message === 'go on') {
    goOn?.resolve();
    goOn = undefined;
  }
  process.send?.(calls);
});
process.on('disconnect', () => process.exit());

function answer(response: ServerResponse<IncomingMessage>): void {
  const message = { role: 'assistant', content: 'A short answer.' };
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      model: 'bench',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: usageOf(10),
    }),
  );
}

/** Sends what is larger than others are, as fast as it is taken. */
async function large(response: ServerResponse, kind: string, mb: number): Promise<void> {
  const entry =
    '{"token":" word","logprob":-0.1234567,"bytes":[32,119,111,114,100],"top_logprobs":[]},';
  const [type, begin, piece, end] = {
    whole: [
      'application/json',
      '{"id":"chatcmpl-bench","object":"chat.completion","model":"bench","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"A short answer."},"logprobs":{"content":[',
      entry.repeat(2 ** 10),
      `0]}}],"usage":${JSON.stringify(usageOf(10))}}`,
    ],
    error: [
      'application/json',
      '{"error":{"message":"No","details":[',
      entry.repeat(2 ** 10),
      '0]}}',
    ],
    line: ['text/event-stream', 'data: {"x":"', 'x'.repeat(2 ** 16), ''],
  }[kind] as [string, string, string, string];
  response.writeHead(kind === 'error' ? 400 : 200, { 'content-type': type });
  const pieces = function* () {
    yield begin;
    for (let sent = 0; sent < mb * 2 ** 20; sent += piece.length) yield piece;
    yield end;
  };
  // Whoever asked may go away.
  await pipeline(Readable.from(pieces()), response).catch(() => {});
}

async function stream(
  response: ServerResponse<IncomingMessage>,
  chunks: number,
  delayMs: number,
): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  for (let i = 0; i < chunks; i++) {
    // Slow ones say when they were sent, in ms, so that their delay can be told.
    const content = delayMs > 0 ? `${performance.timeOrigin + performance.now()} ` : 'word ';
    const hasRoom = response.write(chunkOf({ delta: { content }, finish_reason: null }));
    if (!hasRoom) await new Promise((resolve) => response.once('drain', resolve));
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  response.write(chunkOf({ delta: {}, finish_reason: 'stop' }));
  response.write(
    serverSentEvent(JSON.stringify({ ...chunk, choices: [], usage: usageOf(chunks) })),
  );
  response.end(serverSentEvent('[DONE]'));
}

const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', model: 'bench' };

function chunkOf(choice: object): string {
  return serverSentEvent(JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] }));
}

function serverSentEvent(data: string): string {
  return `data: ${data}\n\n`;
}
