import { textIn } from '../../field.ts';
import { type CacheLifetime, sealMarks } from '../ask.ts';
import type { Body } from '../dialect.ts';
import { listOf } from '../read-shapes.ts';

/** What is said, as a list of blocks: a text alone is one. */
export const blocksOf = (content: unknown): Body[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);

/** How long a provider is asked to keep what ends with a block. */
export function cacheOf({ cache_control }: Body): { cache?: CacheLifetime } {
  if (typeof cache_control !== 'object' || cache_control === null) return {};
  return { cache: (cache_control as Body)['ttl'] === '1h' ? '1h' : '5m' };
}

/** Writes how long a provider is asked to keep a block. Five minutes need no `ttl`. */
export const cacheControlOf = ({ cache }: { cache?: CacheLifetime }): Body =>
  cache ? { cache_control: { type: 'ephemeral', ...(cache === '1h' && { ttl: cache }) } } : {};

/**
 * How the types of tools begin whose schema and prompt Claude knows, and that the caller runs.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
const knownTypes = ['bash_', 'text_editor_', 'computer_', 'memory_'];

/** Whether a tool is described by its request. */
export const isOwnTool = ({ type }: Body) =>
  type === undefined || type === null || type === 'custom';

/** Whether a tool is one that Claude knows without a description, and that the caller runs. */
export const isKnownTool = ({ type }: Body) =>
  knownTypes.some((start) => textIn(type).startsWith(start));

/** Why an answer ended, in words of the wire. */
export const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  toolCalls: 'tool_use',
  contentFilter: 'refusal',
} as const;

/** Writes a stream's event, whose type is its name too. @see https://platform.claude.com/docs/en/build-with-claude/streaming */
export const namedEvent = (event: { type: string } & Body): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Whether a thought was sealed by a model of another dialect: Claude takes back its own alone. */
export const isForeign = (seal: { signature?: unknown; data?: unknown }): boolean =>
  Object.values(sealMarks).some((mark) =>
    String(seal.signature ?? seal.data ?? '').startsWith(mark),
  );
