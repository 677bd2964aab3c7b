import type { Answer } from './model-stub-body.ts';

/** A request for a response, as far as the stub reads it. */
export interface ResponseRequestBody {
  model: string;
  input: string | { role?: string; content?: unknown; [field: string]: unknown }[];
  stream?: boolean;
  [parameter: string]: unknown;
}

/** What a stub answers with: items of the output, as they are when they are done. */
export type StubItem = { type: string; id?: string } & Record<string, unknown>;

export const messageItem = (text: string): StubItem => ({
  ...{ type: 'message', id: 'msg_stub', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});

export const callItem = (name: string, args: object, call_id = 'call_stub'): StubItem => ({
  ...{ type: 'function_call', id: `fc_${call_id}`, call_id, name, status: 'completed' },
  arguments: JSON.stringify(args),
});

export const thoughtItem = (text: string, encrypted_content: string): StubItem => ({
  ...{ type: 'reasoning', id: 'rs_stub', encrypted_content },
  summary: [{ type: 'summary_text', text }],
});

/** A whole response; usage as tokens in and out. */
export function responseOf(
  output: readonly StubItem[],
  usage: readonly [number, number] | null = [10, 20],
  rest: object = {},
) {
  return {
    ...{ id: 'resp_stub', object: 'response', created_at: 1_700_000_000, status: 'completed' },
    ...{ model: 'stub', error: null, incomplete_details: null, instructions: null, metadata: {} },
    ...{ parallel_tool_calls: true, temperature: 1, top_p: 1, tool_choice: 'auto', tools: [] },
    output,
    usage: usage && {
      input_tokens: usage[0],
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: usage[1],
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage[0] + usage[1],
    },
    ...rest,
  };
}

/** Events as a provider sends them, numbered from `first`. */
export const responseEvents = (events: readonly Record<string, unknown>[], first = 0): string[] =>
  events.map(
    ({ type, ...fields }, n) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: first + n, ...fields })}\n\n`,
  );

/** The events of a whole stream of these items, word by word. */
export function responseStream(
  output: readonly StubItem[],
  usage: readonly [number, number] | null = [10, 20],
  rest: object = {},
): string[] {
  const begun = { ...responseOf([], null, rest), status: 'in_progress' };
  const ended = responseOf(output, usage, rest);
  return responseEvents([
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap(itemEvents),
    { type: `response.${ended.status}`, response: ended },
  ]);
}

/** The events of one item at its place. */
export function itemEvents(item: StubItem, output_index: number): Record<string, unknown>[] {
  const place = { item_id: item.id, output_index };
  return [
    { type: 'response.output_item.added', output_index, item: begunOf(item) },
    ...inner(item, place),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function begunOf(item: StubItem): StubItem {
  const { type } = item;
  if (type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (type === 'reasoning') return { ...item, summary: [] };
  if (type === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  return type === 'custom_tool_call' ? { ...item, status: 'in_progress', input: '' } : item;
}

function inner(item: StubItem, place: object): Record<string, unknown>[] {
  const { type, content, summary, name } = item;
  if (type === 'function_call' || type === 'custom_tool_call') {
    const isCustom = type === 'custom_tool_call';
    const event = isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
    const field = isCustom ? 'input' : 'arguments';
    const whole = String(item[field]);
    return [
      ...words(whole).map((delta) => ({ type: `response.${event}.delta`, ...place, delta })),
      { type: `response.${event}.done`, ...place, [field]: whole, name },
    ];
  }
  const parts = (type === 'reasoning' ? summary : content) as Record<string, string>[] | undefined;
  return (parts ?? []).flatMap((part, at) => partEvents(type, part, at, place));
}

function partEvents(type: string, part: Record<string, string>, at: number, place: object) {
  const isThought = type === 'reasoning';
  const container = isThought ? 'reasoning_summary_part' : 'content_part';
  const kind = isThought ? 'reasoning_summary_text' : part['type'];
  const field = part['type'] === 'refusal' ? 'refusal' : 'text';
  const at_ = { ...place, [isThought ? 'summary_index' : 'content_index']: at };
  const text = part[field] ?? '';
  return [
    { type: `response.${container}.added`, ...at_, part: { ...part, [field]: '' } },
    ...words(text).map((delta) => ({
      ...{ type: `response.${kind}.delta`, ...at_, delta },
      ...(isThought ? {} : { logprobs: [] }),
    })),
    { type: `response.${kind}.done`, ...at_, [field]: text, logprobs: [] },
    { type: `response.${container}.done`, ...at_, part },
  ];
}

const words = (text: string): string[] => text.match(/\s+|\S+\s*/gu) ?? [];

/** The whole body of an answer: JSON, or the events of a stream. A token a word unless the usage says more. */
export function responseText(
  { stream, input, model }: ResponseRequestBody,
  answer: Answer,
): string {
  const { content, usage } = answer;
  const items = [messageItem(content)];
  const counted = [words(JSON.stringify(input)).length, words(content).length] as const;
  const told =
    usage === undefined
      ? counted
      : usage && ([usage.prompt_tokens, usage.completion_tokens] as const);
  if (stream) return responseStream(items, told, { model }).join('');
  return JSON.stringify(responseOf(items, told, { model }));
}

/** What the last user said. */
export function lastInput({ input }: ResponseRequestBody): unknown {
  if (typeof input === 'string') return input;
  const content = input.findLast(({ role }) => role === 'user')?.content ?? '';
  const [part] = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return part?.text ?? content;
}
