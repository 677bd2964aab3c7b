import * as v from 'valibot';
import { Count } from '../http/schema.ts';

/** One input's vector: numbers, or little-endian floats of 32 bits in base64. */
export const Embedding = v.looseObject({
  object: v.literal('embedding'),
  index: Count,
  embedding: v.union([v.array(v.number()), v.string()]),
});

export const EmbeddingUsage = v.looseObject({ prompt_tokens: Count, total_tokens: Count });

/** The response of `POST /v1/embeddings`. */
export const EmbeddingList = v.looseObject({
  object: v.literal('list'),
  data: v.array(Embedding),
  model: v.string(),
  usage: EmbeddingUsage,
});

export type EmbeddingList = v.InferOutput<typeof EmbeddingList>;
