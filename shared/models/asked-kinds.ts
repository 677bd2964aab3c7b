import type { TokenKind } from './token-prices.ts';

/** Where a request asks for something: the keys and indices that lead there. */
export type Place = (string | number)[];

/** The kinds of tokens that a request asks for and that text alone never has, each with the first place that does. */
export type AskedKinds = Partial<Record<TokenKind, Place>>;

/** Finds the kinds of tokens that a request asks for beside text. */
export function askedKinds(request: Record<string, unknown>): AskedKinds {
  const { messages, modalities } = request;
  const asked: AskedKinds = {};
  findCacheControl(request, [], asked);
  for (const [index, message] of (Array.isArray(messages) ? messages : []).entries()) {
    const place = placeOfAudio(message);
    if (place) asked.audioInput ??= ['messages', index, ...place];
  }
  const spoken = Array.isArray(modalities) ? modalities.indexOf('audio') : -1;
  if (spoken >= 0) asked.audioOutput = ['modalities', spoken];
  if (modalities === 'audio') asked.audioOutput = ['modalities'];
  return asked;
}

/**
 * How deep a request is searched: providers read at most a part within a part
 * (`messages.0.content.0.content.0.cache_control`).
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
const maxDepth = 10;

/** Fields that hold a caller's own data or schemas, where any name may stand. */
const ownData = new Set([
  ...['parameters', 'input_schema', 'input'],
  ...['schema', 'json', 'guided_json', 'metadata'],
]);

function findCacheControl(value: unknown, place: Place, asked: AskedKinds): void {
  if (typeof value !== 'object' || value === null || place.length > maxDepth) return;
  const isList = Array.isArray(value);
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== 'object' || each === null || ownData.has(key)) continue;
    const at = [...place, isList ? Number(key) : key];
    if (key === 'cache_control') addCacheWrite(each, at, asked);
    else findCacheControl(each, at, asked);
  }
}

function addCacheWrite({ ttl }: { ttl?: unknown }, place: Place, asked: AskedKinds): void {
  asked.cacheWrite ??= place;
  if ((ttl ?? '5m') !== '5m') asked.cacheWrite1h ??= [...place, 'ttl'];
}

interface Part {
  type?: unknown;
  file?: { file_data?: unknown } | null;
}

/** The place in a message where there may be audio: a part of its content, or an earlier answer that was spoken. */
function placeOfAudio(message: unknown): Place | undefined {
  const { content, audio } = (message ?? {}) as { content?: unknown; audio?: unknown };
  if (audio) return ['audio'];
  const index = Array.isArray(content) ? content.findIndex(mayBeAudio) : -1;
  return index < 0 ? undefined : ['content', index];
}

const silent: unknown[] = ['text', 'refusal', 'image_url'];

/** A part that is neither text nor an image may be heard, as a video may, unless it says that it is a document. */
function mayBeAudio(part: Part | null): boolean {
  const data = part?.file?.file_data;
  const isDocument = typeof data === 'string' && /^data:(?!audio|video)/i.test(data);
  return !silent.includes(part?.type) && !isDocument;
}
