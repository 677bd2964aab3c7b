import { root } from '../api/call.ts';
import type { ChatRequest } from './chat-request.ts';

export const languages = ['curl', 'openai-node', 'openai-python'] as const;

/**
 * Writes a request as code. The key is read from the environment, and images are left out. `model` is what answers
 * unless the request says: the chat completions have no default.
 */
export function codeOf(
  language: (typeof languages)[number],
  request: ChatRequest,
  model: string,
): string {
  const { web_search, deep_research, connectors } = request;
  const completion = completionOf(request, model);
  const searches = Boolean(web_search || deep_research || connectors);
  if (language === 'curl')
    return searches
      ? streamCurl(request)
      : curl('/v1/chat/completions', { ...completion, stream: true });
  const note = searches ? 'Sources are a feature of POST /chat/stream: see curl.' : '';
  return language === 'openai-node' ? node(completion, note) : python(completion, note);
}

const baseUrl = root.replace(/\/$/, '');

function streamCurl(request: ChatRequest): string {
  const images = request.images?.map((image) => ({ ...image, base64: '…' }));
  return curl('/chat/stream', { ...request, ...(images && { images }) });
}

function curl(path: string, body: object): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl -N ${baseUrl}${path} \\
  -H "Authorization: Bearer $QUIRE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`;
}

function node(completion: Completion, note: string): string {
  return `import OpenAI from 'openai';
${note && `\n// ${note}`}
const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: process.env.QUIRE_API_KEY });
const stream = await client.chat.completions.create(${JSON.stringify({ ...completion, stream: true }, null, 2)});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`;
}

function python({ model, messages, temperature }: Completion, note: string): string {
  return `import os
from openai import OpenAI
${note && `\n# ${note}`}
client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["QUIRE_API_KEY"])
stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=${JSON.stringify(messages, null, 4).replaceAll('\n', '\n    ')},
${temperature === undefined ? '' : `    temperature=${temperature},\n`}    stream=True,
)
for chunk in stream:
    print(chunk.choices[0].delta.content or "", end="")`;
}

type Completion = ReturnType<typeof completionOf>;

/** The same request for `POST /v1/chat/completions`. */
function completionOf(request: ChatRequest, defaultModel: string) {
  const { model, chat_history, message, files, images, temperature } = request;
  const text = [
    message,
    ...(files ?? []).map(({ name, content }) => `--- ${name} ---\n${content}`),
  ];
  const parts = images?.map(({ mime_type }) => ({
    type: 'image_url',
    image_url: { url: `data:${mime_type};base64,…` },
  }));
  const question = text.join('\n\n');
  return {
    model: model ?? defaultModel,
    messages: [
      ...chat_history,
      { role: 'user', content: parts ? [{ type: 'text', text: question }, ...parts] : question },
    ],
    ...(temperature !== undefined && { temperature }),
  };
}
