import * as v from 'valibot';
import { Progress } from '../jobs/engine/item/status.ts';
import * as results from '../jobs/results/result.ts';
import { ResultWarning } from '../jobs/results/warnings.ts';
import { PagePath } from '../jobs/routes/draw-page.ts';
import { JobListQuery, JobPath } from '../jobs/routes/read.ts';
import { DeletedJob, Extract, JobList, JobRecord } from '../jobs/routes/record.ts';
import { catalogue } from '../models/catalogue.ts';
import { errorAnswer, tooManyJobs, validationErrors } from './error-answers.ts';
import { content, described, example, json, kept, operation, parameters } from './operation.ts';

export const components = {
  ...described({ Job: JobRecord, Extract, Progress, DeletedJob, JobList }),
  ...described({ ...results, ResultWarning }),
};

const { chat, ocr } = catalogue.defaults;

/** The job that the examples are about, as it stands after its submission. */
export const queuedJob = example(JobRecord, {
  id: 'job_019aa1f2-7c1b-7d3e-9a54-2f6b8c0d1e7a',
  status: 'queued',
  job_type: 'chat',
  model: chat,
  input_type: 'inline',
  priority: 5,
  retry_count: 0,
  max_retries: 3,
  created_at: '2026-11-20T15:04:05.123Z',
});

const ended: Partial<JobRecord> = kept('ended');

const extractResult: results.ExtractResult = kept('extractResult');

const chatJob: JobRecord = {
  ...queuedJob,
  ...ended,
  id: 'job_019aa1f2-6b40-7a11-8c02-54d1e0f7a3b9',
  result: kept('chatResult'),
};

const ocrJob: JobRecord = {
  ...queuedJob,
  ...ended,
  job_type: 'ocr',
  model: ocr,
  input_type: 'drive_file',
  filename: 'inspection.pdf',
  drive_file_id: '1kQ8b6YhPz3nWc0uTgE5sRm2XvLd7aFjo',
  drive_folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E',
  drive_result_file_id: '1f0gWq3xkZ8b2yTnLr5sVd7uHc9aJp4eM',
  result: kept('ocrResult'),
};

const extractJob: JobRecord = {
  ...ocrJob,
  filename: 'invoice.pdf',
  result: extractResult,
  extract: {
    schema: extractResult.schema,
    require_evidence: false,
    vision: false,
    table: false,
    instruction: null,
  },
};

const folderJob: JobRecord = {
  ...queuedJob,
  ...ended,
  job_type: 'auto',
  model: ocr,
  input_type: 'drive_folder',
  drive_folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E',
  result: kept('folderResult'),
};

const stopped: Partial<JobRecord> = { error: 'stopped: The job was stopped by its caller.' };

const stoppedJob: JobRecord = {
  ...queuedJob,
  ...stopped,
  status: 'cancelled',
  completed_at: '2026-11-20T15:04:09.201Z',
};

const stoppingJob: JobRecord = {
  ...ocrJob,
  ...stopped,
  status: 'processing',
  completed_at: null,
  result: null,
  drive_result_file_id: null,
  progress: { done: 14, total: 40, failed: 0, unit: 'pages' },
};

const retriedJob: JobRecord = {
  ...queuedJob,
  id: 'job_019aa1f3-0b52-7e04-b1c8-6a9f3d2e5c17',
  created_at: '2026-11-20T15:05:17.482Z',
  retry_of: queuedJob.id,
};

const pagePath = parameters('path', PagePath, {
  job_id: 'The job’s id.',
  page: 'The number of the page, from 1, as in the job’s result.',
});

const path = parameters('path', JobPath, {
  job_id: { description: 'The job’s id.', example: queuedJob.id },
});
const noSuchJob = errorAnswer(
  'There is no such job, or it is another key’s: which of the two is never said.',
  'There is no such job.',
);
/** What any route of one job may answer. */
const ofOneJob = { 404: noSuchJob, 422: validationErrors({}) };

export const operations = [
  operation('get /batch/jobs', 'listJobs', 'Batch jobs', {
    summary: 'List your jobs',
    description:
      'The newest first, 50 a page or as many as `limit` says. A result of more than 2 KB shows without its text, an extraction with its values and without their evidence, if these have no more than 2 KB.',
    parameters: parameters('query', JobListQuery, {
      cursor: '`next_cursor` of the page before.',
      status: 'Only jobs of this status.',
      parent_job_id: 'Only the jobs that this one made; `none` for those that no job made.',
      limit: 'How many jobs a page has, 50 if it is absent.',
    }),
    answers: {
      200: json('A page of jobs.', JobList, {
        'The last page': { jobs: [queuedJob, chatJob], next_cursor: null },
      }),
      422: validationErrors({
        'A status that doesn’t exist': {
          loc: ['query', 'status'],
          msg: "Input should be 'queued', 'processing', 'done', 'failed' or 'cancelled'",
          type: 'literal_error',
        },
      }),
    },
  }),
  operation('get /batch/jobs/{job_id}', 'getJob', 'Batch jobs', {
    summary: 'Read a job',
    description: 'The job as it stands now, with its whole result once it is done.',
    parameters: path,
    answers: {
      200: json('The job.', JobRecord, {
        'A chat job': chatJob,
        'A document that was read': ocrJob,
        'Fields of a document': extractJob,
        'A folder': folderJob,
      }),
      404: noSuchJob,
    },
  }),
  operation('get /batch/jobs/{job_id}/pages/{page}', 'getJobPage', 'Batch jobs', {
    summary: 'See a page of a job’s document',
    description:
      'Draws a page of the document that a job works on, in grey, as it is drawn for OCR. It is drawn as it lies in the document: where the result of an extraction gives the page a `turn`, it stands upright once it is turned by so many degrees, clockwise. A page of an extraction that has no picture, such as one of a text file, comes as its text. The pages of a step, which has a `parent_job_id`, are those of the job that it was made for. It costs nothing, and can be asked for as long as the job keeps its copy of the document.',
    parameters: pagePath,
    answers: {
      200: {
        description: 'The page.',
        content: { 'image/jpeg': content(v.string()), 'text/plain': content(v.string()) },
      },
      404: errorAnswer(
        'There is no such job, its document has no such page or no pages at all, or its copy is not kept any more.',
        'There is no page 4: the document has 3 pages.',
      ),
      422: validationErrors({}),
    },
  }),
  operation('post /batch/jobs/{job_id}/cancel', 'cancelJob', 'Batch jobs', {
    summary: 'Cancel a queued job',
    description:
      'Only a queued job can be cancelled. What was made for it, such as the jobs of the files of a folder that waits to be listed on, is stopped.',
    parameters: path,
    answers: {
      200: json('The job was cancelled.', JobRecord, {
        'A cancelled job': {
          ...queuedJob,
          status: 'cancelled',
          completed_at: '2026-11-20T15:04:09.201Z',
        },
      }),
      ...ofOneJob,
      409: errorAnswer(
        'The job is not queued any more.',
        'Only a queued job can be cancelled; this one is done.',
      ),
    },
  }),
  operation('post /batch/jobs/{job_id}/stop', 'stopJob', 'Batch jobs', {
    summary: 'Stop a job',
    description:
      'Stops a job that has not ended, and every job that was made for it. What has not begun ends at once; what runs begins no further page, line or call. The job ends `cancelled`, a moment later if it runs, and its `result` keeps what was done and paid for by then. Stopping it again changes nothing.',
    parameters: path,
    answers: {
      200: json('The job as it stands now: it ends `cancelled`.', JobRecord, {
        'A job that had not begun': stoppedJob,
        'A document that is being read': stoppingJob,
      }),
      ...ofOneJob,
      409: errorAnswer(
        'The job has ended.',
        'Only a job that has not ended can be stopped; this one is done.',
      ),
    },
  }),
  operation('post /batch/jobs/{job_id}/retry', 'retryJob', 'Batch jobs', {
    summary: 'Try a job again',
    description:
      'Makes a new job that does once more what a failed or cancelled one did not. Of a folder, it takes the files whose jobs failed and no other; of a folder that was itself stopped or failed, also those that were cancelled or that it had not come to. The ended job stays as it is. Asking again for the same job returns the same new one.',
    parameters: path,
    answers: {
      202: json('The new job.', JobRecord, { 'A job tried again': retriedJob }),
      ...ofOneJob,
      409: errorAnswer(
        'The job has not ended, or went well; or the key has lost a model that it needs.',
        'Only a failed or cancelled job, or a folder with failed files, can be tried again; this one is done.',
      ),
      429: tooManyJobs,
    },
  }),
  operation('delete /batch/jobs/{job_id}', 'deleteJob', 'Batch jobs', {
    summary: 'Delete a job',
    description:
      'Erases a job that has ended, and every job that was made for it: what was asked, what was read of its documents, what was answered, its copies of files, the pages kept for later jobs, its idempotency record, and ratings of its id. It is hidden from all reads at once. A job of many files or lines takes longer than a request to erase: then the answer is 202, and the rest goes within minutes. A copy of a document that another of your jobs works on goes when that one has ended. What was charged stays, without any of its content; results on your drive stay, as they are yours. The files of a batch’s results go with its job; the file of its requests stays, as it is yours. Backups of the service keep what was erased for 35 days at most. Deleting it again changes nothing.',
    parameters: path,
    answers: {
      200: json('It is erased.', DeletedJob, {
        'A job': { id: queuedJob.id, deleted: true, erased: true },
      }),
      202: json('It is hidden, and is being erased.', DeletedJob, {
        'A large job': { id: queuedJob.id, deleted: true, erased: false },
      }),
      ...ofOneJob,
      409: errorAnswer(
        'The job, or one that it was made for, that was made for it, or that tries it again, has not ended.',
        'Only a job that has ended can be deleted; this one is processing. Stop it first.',
      ),
    },
  }),
];
