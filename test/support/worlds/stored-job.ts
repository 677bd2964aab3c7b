import type { Job } from '../../../shared/jobs/engine/item/job.ts';
import type { AnyJob } from '../../../shared/jobs/kinds/kinds.ts';

type Fields<Its> = Its extends unknown ? Omit<Its, keyof Job> : never;
type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer Every,
) => void
  ? Every
  : never;

/** A job as the table holds it, with any attribute that some kind of job has. */
export type StoredJob = Job & Partial<All<Fields<AnyJob>>>;
