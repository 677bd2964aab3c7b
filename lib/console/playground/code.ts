import { root } from '../api/call.ts';
import type { ChatRequest } from './chat-request.ts';

/** The ways to ask, by the client that asks: chat completions with the first three, then Responses, then Messages. */
export const languages = [
  'curl',
  'openai-node',
  'openai-python',
  'responses',
  'anthropic-node',
] as const;

/** Writes a request as code, with the key from the environment and without images. `model` answers by default. */
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
  if (language === 'openai-python') return python(completion, note);
  if (language === 'openai-node') return node(completion, note);
  const asked = { ...request, model: request.model ?? model };
  return language === 'responses' ? responses(asked, note) : anthropic(asked, note);
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

function responses(request: ChatRequest, note: string): string {
  const { model, chat_history, temperature } = request;
  const images = imagesOf(request).map((image_url) => ({ type: 'input_image', image_url }));
  const content = [{ type: 'input_text', text: questionOf(request) }, ...images];
  const body = {
    model,
    input: [
      ...chat_history,
      { role: 'user', content: images.length > 0 ? content : questionOf(request) },
    ],
    ...(temperature !== undefined && { temperature }),
    store: false,
    stream: true,
  };
  return `import OpenAI from 'openai';
${note && `\n// ${note}`}
const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: process.env.QUIRE_API_KEY });
const stream = await client.responses.create(${JSON.stringify(body, null, 2)});
for await (const event of stream)
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);`;
}

function anthropic(request: ChatRequest, note: string): string {
  const { model, chat_history, images = [], temperature } = request;
  const rules = chat_history.filter(({ role }) => role === 'system');
  const pictures = images.map(({ mime_type: media_type }) => ({
    type: 'image',
    source: { type: 'base64', media_type, data: '…' },
  }));
  const content = [...pictures, { type: 'text', text: questionOf(request) }];
  const body = {
    model,
    max_tokens: 4096,
    ...(rules.length > 0 && { system: rules.map((rule) => rule.content).join('\n\n') }),
    messages: [
      ...chat_history.filter(({ role }) => role !== 'system'),
      { role: 'user', content: pictures.length > 0 ? content : questionOf(request) },
    ],
    ...(temperature !== undefined && { temperature }),
  };
  return `import Anthropic from '@anthropic-ai/sdk';
${note && `\n// ${note}`}
const client = new Anthropic({ baseURL: '${baseUrl}', apiKey: process.env.QUIRE_API_KEY });
const stream = client.messages.stream(${JSON.stringify(body, null, 2)});
stream.on('text', (text) => process.stdout.write(text));
await stream.done();`;
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

/** Writes the request for `POST /v1/chat/completions`. */
function completionOf(request: ChatRequest, defaultModel: string) {
  const { model, chat_history, temperature } = request;
  const question = questionOf(request);
  const images = imagesOf(request).map((url) => ({ type: 'image_url', image_url: { url } }));
  const content = images.length > 0 ? [{ type: 'text', text: question }, ...images] : question;
  return {
    model: model ?? defaultModel,
    messages: [...chat_history, { role: 'user', content }],
    ...(temperature !== undefined && { temperature }),
  };
}

/** The message, with the texts of its files after it. */
const questionOf = ({ message, files = [] }: ChatRequest) =>
  [message, ...files.map(({ name, content }) => `--- ${name} ---\n${content}`)].join('\n\n');

const imagesOf = ({ images = [] }: ChatRequest) =>
  images.map(({ mime_type }) => `data:${mime_type};base64,…`);
