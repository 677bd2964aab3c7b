import { JobListQuery, JobPath } from '../jobs/read.ts';
import { JobList, JobRecord } from '../jobs/record.ts';
import { JobSubmission, SubmissionHeader } from '../jobs/submission.ts';
import { invalid, sentence } from './common-answers.ts';
import { doneJob, folderJob, jobId, queuedJob, readJob, submissions } from './job-examples.ts';
import { content, json, type Operation, parameters } from './operation.ts';

const path = parameters('path', JobPath, {
  job_id: { description: 'The job’s id.', example: jobId },
});
const noSuchJob = sentence(
  'There is no such job, or it is another key’s: which of the two is never said.',
  'There is no such job.',
);

export const batchOperations: Operation[] = [
  {
    method: 'post',
    path: '/batch/jobs',
    operationId: 'submitJob',
    tag: 'Batch jobs',
    summary: 'Submit a job',
    description:
      'Inline input and a drive file make one job, a drive folder one job for each of its pending files. An accepted job is never lost: it ends `done`, `failed` or `cancelled`.',
    parameters: [
      parameters('header', SubmissionHeader, {
        'idempotency-key': {
          name: 'Idempotency-Key',
          description:
            'Makes it safe to send the same submission again: within 24 hours the answer is the first one’s record.',
        },
      }),
    ],
    body: content(JobSubmission, submissions),
    answers: {
      202: json('The job was accepted.', JobRecord, { 'A job that waits': queuedJob }),
      409: sentence(
        'The `Idempotency-Key` was used before, for another submission.',
        'This Idempotency-Key was used for a different submission.',
      ),
      422: invalid({
        'A priority out of bounds': {
          detail: [
            {
              loc: ['body', 'priority'],
              msg: 'Input should be less than or equal to 100',
              type: 'less_than_equal',
            },
          ],
        },
        'Both kinds of input': {
          detail: [
            {
              loc: ['body'],
              msg: 'Value error, exactly one of inline and drive must be given',
              type: 'value_error',
            },
          ],
        },
      }),
    },
  },
  {
    method: 'get',
    path: '/batch/jobs',
    operationId: 'listJobs',
    tag: 'Batch jobs',
    summary: 'List your jobs',
    description: 'The newest first, 50 a page. A long result shows without its text.',
    parameters: [
      parameters('query', JobListQuery, {
        cursor: { description: '`next_cursor` of the page before.' },
        status: { description: 'Only jobs of this status.' },
        parent_job_id: { description: 'Only the jobs that this one made.' },
      }),
    ],
    answers: {
      200: json('A page of jobs.', JobList, {
        'The last page': { jobs: [queuedJob, doneJob], next_cursor: null },
      }),
      422: invalid({
        'A status that doesn’t exist': {
          detail: [
            {
              loc: ['query', 'status'],
              msg: "Input should be 'queued', 'processing', 'done', 'failed' or 'cancelled'",
              type: 'literal_error',
            },
          ],
        },
      }),
    },
  },
  {
    method: 'get',
    path: '/batch/jobs/{job_id}',
    operationId: 'getJob',
    tag: 'Batch jobs',
    summary: 'Read a job',
    description: 'The job as it stands now, with its whole result once it is done.',
    parameters: [path],
    answers: {
      200: json('The job.', JobRecord, {
        'A chat job': doneJob,
        'A document that was read': readJob,
        'A folder': folderJob,
      }),
      404: noSuchJob,
    },
  },
  {
    method: 'post',
    path: '/batch/jobs/{job_id}/cancel',
    operationId: 'cancelJob',
    tag: 'Batch jobs',
    summary: 'Cancel a queued job',
    description: 'Only a queued job can be cancelled.',
    parameters: [path],
    answers: {
      200: json('The job was cancelled.', JobRecord, {
        'A cancelled job': {
          ...queuedJob,
          status: 'cancelled',
          completed_at: '2026-11-20T15:04:09.201Z',
        },
      }),
      404: noSuchJob,
      409: sentence(
        'The job is not queued any more.',
        'Only a queued job can be cancelled; this one is done.',
      ),
      422: invalid({}),
    },
  },
];
