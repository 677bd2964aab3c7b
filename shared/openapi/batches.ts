import { Batch, BatchUsage, RequestCounts } from '../jobs/kinds/batch/batch.ts';
import { BatchRequest } from '../jobs/routes/create-batch.ts';
import { BatchList, BatchListQuery, BatchPath } from '../jobs/routes/read-batches.ts';
import { SubmissionHeader } from '../jobs/routes/submission.ts';
import { catalogue } from '../models/catalogue.ts';
import { completionErrorAnswer } from './error-answers.ts';
import { content, described, example, json, operation, parameters } from './operation.ts';

export const components = described({
  BatchRequest,
  Batch,
  BatchRequestCounts: RequestCounts,
  BatchUsage,
  BatchList,
});

const created = example(Batch, {
  id: 'batch_019aa1f2-7c1b-7d3e-9a54-2f6b8c0d1e7a',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  input_file_id: 'file-019aa1f15f0e7c2a8d114b7e90c3d2a6',
  completion_window: '24h',
  status: 'validating',
  created_at: 1_763_651_045,
  expires_at: 1_763_737_445,
  request_counts: { total: 0, completed: 0, failed: 0 },
  metadata: { project: 'north' },
});

const completed: Batch = {
  ...created,
  status: 'completed',
  model: catalogue.defaults.chat,
  output_file_id: 'file-019aa1f27c1b7f3390c4d71b22aa9e01',
  error_file_id: 'file-019aa1f27c1b7ae1b1f05c6d7788f210',
  in_progress_at: 1_763_651_047,
  finalizing_at: 1_763_651_901,
  completed_at: 1_763_651_903,
  request_counts: { total: 1_000, completed: 998, failed: 2 },
  usage: {
    input_tokens: 81_500,
    input_tokens_details: { cached_tokens: 12_288 },
    output_tokens: 40_210,
    output_tokens_details: { reasoning_tokens: 9_600 },
    total_tokens: 121_710,
  },
};

const failed: Batch = {
  ...created,
  status: 'failed',
  failed_at: 1_763_651_047,
  errors: {
    object: 'list',
    data: [
      {
        code: 'duplicate_custom_id',
        message: 'The custom_id is that of a line before it.',
        param: 'custom_id',
        line: 812,
      },
    ],
  },
};

const path = parameters('path', BatchPath, {
  batch_id: { description: 'The batch’s id.', example: created.id },
});

const noSuchBatch = completionErrorAnswer(
  'There is no such batch, or it is another key’s: which of the two is never said.',
  `No batch found with id '${created.id}'.`,
  { code: 'not_found' },
);
const invalidRequest = (param: string, message: string) =>
  completionErrorAnswer('Something is wrong with the request.', `${param}: ${message}`, { param });

export const operations = [
  operation('post /v1/batches', 'createBatch', 'Batches', {
    summary: 'Make a batch',
    description:
      'Has each line of a file asked within a day, by OpenAI’s protocol. All lines are read before the first is asked: if one can’t be asked, the batch fails, costs nothing, and `errors` says which line and why. A line that a model refuses, or that fails after it was tried again, is in the error file, and so is one that the budget doesn’t cover (`budget_exceeded`), that the window ended before (`batch_expired`), or that a cancel came before (`batch_cancelled`). Each line is held, charged and answered once, whatever breaks. A batch is a job: it counts, waits its turn, and can be read, stopped and deleted as one.',
    parameters: parameters('header', SubmissionHeader, {
      'idempotency-key': {
        description:
          'Makes the request safe to send again for 24 hours: the same key makes no second batch.',
        name: 'Idempotency-Key',
      },
    }),
    body: content(BatchRequest, {
      'A file of requests': {
        input_file_id: created.input_file_id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      },
      'One that doesn’t wait for its budget': {
        input_file_id: created.input_file_id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
        metadata: { project: 'north', on_budget: 'fail' },
      },
    }),
    answers: {
      200: json('The batch.', Batch, { 'A new batch': created }),
      400: invalidRequest('endpoint', "Input should be '/v1/chat/completions' or '/v1/embeddings'"),
      404: completionErrorAnswer(
        'There is no such file, or it is another key’s.',
        `No such File object: ${created.input_file_id}`,
        { param: 'id', code: 'not_found' },
      ),
      409: completionErrorAnswer(
        'The idempotency key was used for another request.',
        'This Idempotency-Key was used for a different submission.',
        { code: 'conflict' },
      ),
      429: completionErrorAnswer(
        'The key has as many jobs as it may.',
        'Too many jobs: this key may have 10000 that wait or run, and has 10000. Submit again when some have ended.',
        { type: 'rate_limit_error', code: 'too_many_jobs' },
      ),
    },
  }),
  operation('get /v1/batches', 'listBatches', 'Batches', {
    summary: 'List your batches',
    description: 'The newest first.',
    parameters: parameters('query', BatchListQuery, {
      after: '`last_id` of the page before.',
      limit: 'How many there are on a page, up to 100; 20 unless you say.',
    }),
    answers: {
      200: json('A page of batches.', BatchList, {
        'The last page': {
          object: 'list',
          data: [completed],
          first_id: completed.id,
          last_id: completed.id,
          has_more: false,
        },
      }),
      400: invalidRequest('limit', 'Input should be less than or equal to 100'),
    },
  }),
  operation('get /v1/batches/{batch_id}', 'getBatch', 'Batches', {
    summary: 'Read a batch',
    description:
      'As it stands now. Its results are read as files: `GET /v1/files/{file_id}/content`.',
    parameters: path,
    answers: {
      200: json('The batch.', Batch, {
        'One that is done': completed,
        'One whose lines can’t be asked': failed,
      }),
      404: noSuchBatch,
    },
  }),
  operation('post /v1/batches/{batch_id}/cancel', 'cancelBatch', 'Batches', {
    summary: 'Cancel a batch',
    description:
      'No further line is asked. Within a minute or two it is `cancelled`, and what was answered by then is in its output file. Cancelling it again changes nothing.',
    parameters: path,
    answers: {
      200: json('The batch.', Batch, {
        'One that runs': {
          ...created,
          status: 'cancelling',
          in_progress_at: 1_763_651_047,
          cancelling_at: 1_763_651_100,
          request_counts: { total: 1_000, completed: 60, failed: 0 },
        },
      }),
      404: noSuchBatch,
      409: completionErrorAnswer(
        'It has ended otherwise.',
        "Cannot cancel a batch with status 'completed'.",
        { code: 'conflict' },
      ),
    },
  }),
];
