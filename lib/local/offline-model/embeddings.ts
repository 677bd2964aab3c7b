import { createHash } from 'node:crypto';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';

const defaultDimensions: Record<string, number> = { 'text-embedding-3-large': 3_072 };

/** Makes vectors of texts by their words alone: shared words are near each other. It is no model, and knows no meaning. */
export function embed({ model, input, dimensions }: EmbeddingCreateParams) {
  const isList = Array.isArray(input) && typeof input[0] !== 'number';
  const inputs = (isList ? input : [input]) as (string | number[])[];
  const length = dimensions ?? defaultDimensions[model] ?? 1_536;
  const words = inputs.map(wordsOf);
  const prompt_tokens = words.reduce((sum, each) => sum + each.length, 0);
  return {
    object: 'list',
    data: words.map((each, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(each, length),
    })),
    model: `quire-offline-words/${model}`,
    usage: { prompt_tokens, total_tokens: prompt_tokens },
  };
}

const wordsOf = (input: string | number[]): string[] =>
  typeof input === 'string'
    ? (input.toLowerCase().match(/[\p{L}\p{N}]{1,1000}/gu) ?? [input])
    : input.map(String);

/** Adds each word at two places that its hash names, and makes the vector one long. */
function vectorOf(words: readonly string[], length: number): number[] {
  const vector = new Float32Array(length);
  for (const word of words) {
    const hash = createHash('sha256').update(word).digest();
    for (const at of [0, 8]) {
      const place = hash.readUInt32LE(at) % length;
      vector[place] = (vector[place] ?? 0) + ((hash[at + 4] ?? 0) % 2 === 0 ? 1 : -1);
    }
  }
  const norm = Math.hypot(...vector) || 1;
  return Array.from(vector, (each) => Math.fround(each / norm));
}
