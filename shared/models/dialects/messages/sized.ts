import { textIn } from '../../field.ts';
import type { SizedRequest } from '../../token-bounds.ts';
import type { Body } from '../dialect.ts';
import { listOf } from '../read-shapes.ts';
import { blocksOf, isOwnTool } from './wire.ts';

/**
 * More than the tokens by which Claude is told of a tool that it knows, which are at most some 800.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
const bytesOfKnownTool = 1_024;

/** Describes a request as a chat completion's, whose parts are measured. */
export function sizedMessages(body: Body): SizedRequest {
  const { model: _, system, messages, max_tokens, metadata: __, ...rest } = body;
  const tools = listOf(body['tools']);
  const known = tools.filter((tool) => !isOwnTool(tool)).length;
  const referenced = bytesOfReferences(listOf(messages), tools);
  return {
    ...rest,
    ...(typeof max_tokens === 'number' && { max_tokens }),
    ...(known > 0 && { known_tools: ' '.repeat(known * bytesOfKnownTool) }),
    ...(referenced > 0 && { referenced_tools: ' '.repeat(Math.min(referenced, longerThanAny)) }),
    messages: [
      { role: 'system', content: blocksOf(system).flatMap(partsOf) },
      ...listOf(messages).map(({ role, content, ...others }) => ({
        ...others,
        role,
        content: blocksOf(content).flatMap(partsOf),
      })),
    ],
  };
}

/** More bytes than any model reads tokens. */
const longerThanAny = 10_000_000;

/** The bytes of the tools that blocks name: each `tool_reference` shows its tool's description once more. */
function bytesOfReferences(messages: Body[], tools: Body[]): number {
  const bytes = new Map(tools.map((tool) => [tool['name'], JSON.stringify(tool).length * 3]));
  const bytesIn = (blocks: Body[]): number =>
    blocks.reduce((sum, { type, tool_name, content }) => {
      const own = type === 'tool_reference' ? (bytes.get(tool_name) ?? 0) : 0;
      return sum + own + bytesIn(listOf(content));
    }, 0);
  return bytesIn(messages);
}

/** Blocks whose tokens are no more than the bytes of their JSON. */
const measured: unknown[] = [
  ...['thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use'],
  ...['search_result', 'tool_reference'],
];

/** Describes a block by parts whose measure is known. A kind that isn't may be of any length. */
function partsOf(block: Body): Body[] {
  const { type, content, source, cache_control } = block;
  const cached = cache_control === undefined ? {} : { cache_control };
  if (type === 'text') return [block];
  if (type === 'image') return [{ type: 'image_url', image_url: {}, ...cached }];
  if (type === 'tool_result') {
    const { content: _, ...others } = block;
    return [textOf(others), ...innerParts(content)];
  }
  if (type === 'document') return documentParts(block, source as Body | null | undefined);
  if (measured.includes(type)) return [textOf(block)];
  return [{ ...block, type: `messages.${textIn(type)}` }];
}

/** Describes what is said within a block. No schema has seen it, so it may be of any form, and of any length then. */
function innerParts(content: unknown): Body[] {
  const blocks = blocksOf(content);
  const isList = Array.isArray(content) && content.length === blocks.length;
  const isMeasured = isList || typeof content === 'string' || (content ?? null) === null;
  return isMeasured ? blocks.flatMap(partsOf) : [{ type: 'messages.unknown', content }];
}

function documentParts({ source: _, ...others }: Body, source: Body | null | undefined): Body[] {
  if (source?.['type'] === 'text') return [textOf({ ...others, data: source['data'] })];
  if (source?.['type'] === 'content') {
    return [textOf(others), ...innerParts(source['content'])];
  }
  const data = `data:application/pdf;base64,${textIn(source?.['data'])}`;
  return [textOf(others), { type: 'file', file: { file_data: data } }];
}

/** A block by the text of its JSON; what it asks to be cached stays beside. */
function textOf({ cache_control, ...block }: Body): Body {
  const cached = cache_control === undefined ? {} : { cache_control };
  return { type: 'text', text: JSON.stringify(block), ...cached };
}
