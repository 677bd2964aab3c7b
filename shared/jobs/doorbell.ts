import * as v from 'valibot';

/**
 * The right to run one job of a lane; which one, the claim decides. `waits` says that the named job
 * had to wait and has no turn yet.
 */
export const Doorbell = v.object({
  lane: v.pipe(v.string(), v.nonEmpty()),
  key_id: v.pipe(v.string(), v.nonEmpty()),
  job_id: v.pipe(v.string(), v.nonEmpty()),
  priority: v.number(),
  waits: v.boolean(),
});

export type Doorbell = v.InferOutput<typeof Doorbell>;
