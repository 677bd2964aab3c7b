import * as v from 'valibot';

export const ModelEntry = v.object({
  id: v.string(),
  object: v.literal('model'),
  created: v.pipe(v.number(), v.integer()),
  owned_by: v.string(),
});

/** The answer of `GET /v1/models`, in the shape of OpenAI's list. */
export const ModelList = v.object({ object: v.literal('list'), data: v.array(ModelEntry) });

export type ModelList = v.InferOutput<typeof ModelList>;
