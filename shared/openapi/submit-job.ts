import { ExtractInput } from '../jobs/kinds/extraction/extract-input.ts';
import type { FolderResult } from '../jobs/results/result.ts';
import { EstimatedFiles, EstimatedPages, JobEstimate } from '../jobs/routes/estimate.ts';
import { JobRecord } from '../jobs/routes/record.ts';
import {
  DriveInput,
  InlineInput,
  JobSubmission,
  SubmissionHeader,
} from '../jobs/routes/submission.ts';
import { catalogue } from '../models/catalogue.ts';
import { errorAnswer, tooManyJobs, validationErrors } from './error-answers.ts';
import { queuedJob } from './jobs.ts';
import {
  component,
  content,
  described,
  json,
  kept,
  operation,
  parameters,
  words,
} from './operation.ts';

const engines = catalogue.ocrEngines.map(({ id }) => `\`${id}\``).join(', ');

export const components = {
  JobSubmission: component(JobSubmission, {
    ...words.JobSubmission,
    fields: {
      ...words.JobSubmission.fields,
      model: `The model to use; without it the default for the type of job. An \`ocr\` job takes an OCR engine (${engines}), or a model that sees.`,
    },
  }),
  ...described({
    ExtractInput,
    InlineInput,
    DriveInput,
    JobEstimate,
    EstimatedFiles,
    EstimatedPages,
  }),
};

const { left_out }: FolderResult = kept('folderResult');

const estimate: JobEstimate = {
  dry_run: true,
  files: { found: 12, pending: 10, skipped: 1, unsupported: 1, unreadable: 0 },
  left_out,
  left_out_more: 0,
  subfolders: { found: 2, listed: 0 },
  pages: { known: 7, unknown_files: 1, assumed_each: 3000 },
  max_cost_usd: 4.5105,
  likely_cost_usd: 0.0165,
  assumed_answer_tokens: 500,
  unbounded_files: 0,
  is_complete: true,
};

const submitJob = operation('post /batch/jobs', 'submitJob', 'Batch jobs', {
  summary: 'Submit a job',
  description:
    'Inline input and a file make one job, a drive folder one job for each of its pending files. An accepted job is never lost: it ends `done`, `failed` or `cancelled`.',
  parameters: parameters('header', SubmissionHeader, {
    'idempotency-key': {
      name: 'Idempotency-Key',
      description:
        'Makes it safe to send the same submission again: within 24 hours the answer is the first one’s record.',
    },
  }),
  body: content(JobSubmission, {
    'A chat job': kept('A chat job'),
    'An image to be read': kept('An image to be read'),
    'A question about a PDF': kept('A question about a PDF'),
    'A scan on the drive, read and summed up': kept('A scan on the drive, read and summed up'),
    'The fields of an invoice, with where each stands': kept(
      'The fields of an invoice, with where each stands',
    ),
    'A file of the key': { job_type: 'auto', file_id: 'file-0199b3c1d2e37f40a1b2c3d4e5f60718' },
    'A folder on the drive': kept('A folder on the drive'),
    'What a folder and those below it would cost': kept(
      'What a folder and those below it would cost',
    ),
  }),
  answers: {
    200: json('The estimate of a `dry_run`.', JobEstimate, { 'A folder': estimate }),
    202: json('The job was accepted.', JobRecord, { 'A job that waits': queuedJob }),
    404: errorAnswer(
      'Of a `dry_run`: the key may read no such file or folder. A job that is made fails with the same reason.',
      "No such file or folder under this key's Drive folders.",
    ),
    409: errorAnswer(
      'The `Idempotency-Key` was used before, for another submission.',
      'This Idempotency-Key was used for a different submission.',
    ),
    422: validationErrors({
      'A priority out of bounds': {
        loc: ['body', 'priority'],
        msg: 'Input should be less than or equal to 100',
        type: 'less_than_equal',
      },
      'A file that the key hasn’t': {
        loc: ['body', 'inline', 'messages', 0, 'content', 1, 'file', 'file_id'],
        msg: 'Value error, no such file: file-7',
        type: 'value_error',
      },
      'Both kinds of input': {
        loc: ['body'],
        msg: 'Value error, exactly one of inline, drive and file_id must be given',
        type: 'value_error',
      },
    }),
    429: tooManyJobs,
  },
});

export const operations = [submitJob];
