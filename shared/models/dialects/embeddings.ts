import type { Metered } from '../completion-meter.ts';
import type { SizedRequest } from '../token-bounds.ts';
import type { Body, Wire } from './dialect.ts';

/** OpenAI's embeddings. A request has no output: its input is held. @see https://platform.openai.com/docs/api-reference/embeddings/create */
export const embeddings: Wire = { path: '/embeddings', limitName: 'max_tokens', sized };

/** Tokens that a caller has counted are measured by their numbers' digits, which are never fewer than they. */
function sized({ input, ...rest }: Body): SizedRequest {
  const isList = Array.isArray(input) && typeof input[0] !== 'number';
  const inputs: unknown[] = isList ? input : [input];
  const messages = inputs.map((each) =>
    typeof each === 'string' ? { content: each } : { content: '', tokens: each },
  );
  return { ...rest, messages };
}

/** Describes an answer as a completion without output. */
export function meteredEmbeddings({
  model,
  usage,
  error,
  data,
}: Metered & { data?: unknown }): Metered {
  return {
    model,
    error,
    ...(Array.isArray(data) && { choices: [{ index: 0, finish_reason: 'stop' }] }),
    // An input has tokens. Servers that count none say so by 0.
    ...(usage && usage.prompt_tokens !== 0 && { usage: { ...usage, completion_tokens: 0 } }),
  };
}
