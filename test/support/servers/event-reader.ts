import type { Target } from './api.ts';

/** Posts a body as JSON, a string as it is; answers as soon as the answer has begun. */
export function post(
  { base_url, api_key }: Target,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${base_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export const question = [{ role: 'user', content: 'a question' }];

/** Asks for a chat completion, of a question unless the body says otherwise. */
export const complete = (target: Target, body: object, signal?: AbortSignal) =>
  post(target, '/v1/chat/completions', { messages: question, ...body }, signal);

/** Reads a stream's text as it comes. */
export class TextReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  /** What has come so far. */
  text = '';

  constructor(response: Response) {
    if (!response.body) throw new Error('a response without a body');
    this.reader = response.body.getReader();
  }

  /** Reads until some text has come. */
  async until(wanted: string): Promise<void> {
    while (!this.text.includes(wanted)) {
      if (!(await this.read())) throw new Error(`the stream ended without ${wanted}: ${this.text}`);
    }
  }

  /** Reads to the end. */
  async rest(): Promise<string> {
    while (await this.read());
    return this.text;
  }

  private async read(): Promise<boolean> {
    const { done, value } = await this.reader.read();
    this.text += this.decoder.decode(value, { stream: !done });
    return !done;
  }
}

/** The objects of a stream's events; the end as `[DONE]`. */
export function eventsOf<Event = Record<string, unknown>>(text: string): (Event | '[DONE]')[] {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data: '));
  const data = lines.map((line) => line.slice('data: '.length));
  return data.map((value) => (value === '[DONE]' ? value : (JSON.parse(value) as Event)));
}
