import * as v from 'valibot';
import { saying } from '../http/field-errors.ts';
import { jobStatuses } from './job.ts';

export const jobIdPattern = /^job_[0-9a-f-]{36}$/;

const Cursor = v.pipe(
  v.string(),
  v.transform((cursor) => Buffer.from(cursor, 'base64url').toString()),
  v.check(
    (id) => jobIdPattern.test(id),
    saying('value_error', 'Value error, not a cursor of ours'),
  ),
);

/** The query of `GET /batch/jobs`. */
export const JobListQuery = v.object({
  cursor: v.optional(Cursor),
  status: v.optional(v.picklist(jobStatuses)),
  parent_job_id: v.optional(v.string()),
});

export type JobListQuery = v.InferOutput<typeof JobListQuery>;

/** The path of a route to one job. */
export const JobPath = v.object({ job_id: v.string() });
