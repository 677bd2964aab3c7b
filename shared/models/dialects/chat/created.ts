import type { Body } from '../dialect.ts';

const isTime = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

/**
 * Makes what gives each chunk of one answer the same `created`, and returns undefined for a chunk that stays as it is.
 * Azure begins with a chunk of 0, and servers such as Ollama write each chunk's own time.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function oneCreated(): (chunk: Body) => Body | undefined {
  let first: number | undefined;
  return (chunk) => {
    const { created } = chunk;
    if (created === undefined) return undefined;
    first ??= isTime(created) ? created : Math.floor(Date.now() / 1000);
    return created === first ? undefined : { ...chunk, created: first };
  };
}
