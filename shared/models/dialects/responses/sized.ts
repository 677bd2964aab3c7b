import type { SizedRequest } from '../../token-bounds.ts';
import type { Body } from '../dialect.ts';

/** Fields that are described otherwise, or are no prompt. */
const described = [
  'input',
  'instructions',
  'text',
  'max_output_tokens',
  'metadata',
  'store',
  'include',
];

/** Describes a request as a chat completion's. Items and parts of unknown types stay as they are. */
export function sizedResponse(body: Body): SizedRequest {
  const rest = Object.entries(body).filter(([name]) => !described.includes(name));
  const { input, instructions, text, max_output_tokens } = body;
  const told = instructions ? [{ role: 'system', content: instructions }] : [];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return {
    ...Object.fromEntries(rest),
    ...(text !== undefined && { response_format: text }),
    ...(max_output_tokens !== undefined && { max_tokens: max_output_tokens as number | null }),
    messages: [...told, ...((items ?? []) as Body[]).map(sizedItem)],
  };
}

/** Types of items that are what their JSON says. */
const plain: unknown[] = [
  ...['function_call', 'custom_tool_call', 'reasoning'],
  ...['tool_search_call', 'tool_search_output', 'additional_tools'],
];
const outputs: unknown[] = ['function_call_output', 'custom_tool_call_output'];

function sizedItem(item: Body): Body {
  const { type = 'message', content, output, ...others } = item;
  if (type === 'message') return { ...others, content: sizedContent(content) };
  if (plain.includes(type)) return { said: { type, content, output, ...others } };
  if (outputs.includes(type)) return { ...others, content: sizedContent(output) };
  return { content: [{ ...item, type }] };
}

const sizedContent = (content: unknown) =>
  Array.isArray(content) ? (content as Body[]).map(sizedPart) : content;

const texts: unknown[] = ['input_text', 'output_text'];

function sizedPart(part: Body): Body {
  const { type, file_data, file_url, ...others } = part;
  if (texts.includes(type)) return { ...part, type: 'text' };
  if (type === 'input_image') return { ...part, type: 'image_url' };
  if (type !== 'input_file') return part;
  return { type: 'file', ...others, file: { file_data: file_data ?? file_url } };
}
