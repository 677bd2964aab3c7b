import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

// A stub upstream in a process of its own. The first message's content says in how many chunks it streams, and how
// many ms apart ("20 100"); an answer that isn't streamed takes as long. After "hold" answers that aren't streamed wait for
// "go on". It answers any message of its parent process with the number of calls so far.

interface Asked {
  stream?: boolean;
  messages: { content: string }[];
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
  const [chunks = 20, delayMs = 0] = (body.messages[0]?.content ?? '').split(' ').map(Number);
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

async function stream(
  response: ServerResponse<IncomingMessage>,
  chunks: number,
  delayMs: number,
): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  for (let i = 0; i < chunks; i++) {
    const hasRoom = response.write(chunkOf({ delta: { content: 'word ' }, finish_reason: null }));
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
