import type * as v from 'valibot';
import type { JobRecord } from '../jobs/record.ts';
import type { JobSubmission } from '../jobs/submission.ts';
import { catalogue } from '../models/catalogue.ts';

export const jobId = 'job_019aa1f2-7c1b-7d3e-9a54-2f6b8c0d1e7a';

const { chat, ocr } = catalogue.defaults;

export const submissions: Record<string, v.InferInput<typeof JobSubmission>> = {
  'A chat job': {
    job_type: 'chat',
    priority: 5,
    inline: { messages: [{ role: 'user', content: 'What became of the cracked valves?' }] },
  },
  'An image to be read': {
    job_type: 'ocr',
    inline: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image_url',
              image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAE' },
            },
          ],
        },
      ],
    },
  },
  'A scan on the drive, read and summed up': {
    job_type: 'ocr',
    drive: { file_id: '1sTWaJ_j7PkjzaBWtNc3IzovK5hQf21FbOw9yLeeLPNQ' },
    pipeline: 'ocr_then_chat',
    pipeline_instruction: 'List the findings and who is to act on each.',
  },
  'A folder on the drive': {
    job_type: 'auto',
    drive: { folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E' },
    priority: 50,
    max_retries: 5,
  },
};

export const queuedJob: JobRecord = {
  id: jobId,
  status: 'queued',
  job_type: 'chat',
  model: chat,
  input_type: 'inline',
  filename: null,
  priority: 5,
  retry_count: 0,
  max_retries: 3,
  result: null,
  error: null,
  drive_folder_id: null,
  drive_result_file_id: null,
  pipeline: null,
  pipeline_instruction: null,
  parent_job_id: null,
  created_at: '2026-11-20T15:04:05.123Z',
  started_at: null,
  completed_at: null,
};

const ended: Partial<JobRecord> = {
  status: 'done',
  started_at: '2026-11-20T15:04:06.010Z',
  completed_at: '2026-11-20T15:04:09.872Z',
};

export const doneJob: JobRecord = {
  ...queuedJob,
  ...ended,
  id: 'job_019aa1f2-6b40-7a11-8c02-54d1e0f7a3b9',
  result: {
    type: 'chat',
    content: 'The valves were replaced within a week.',
    finish_reason: 'stop',
    usage: { prompt_tokens: 48, completion_tokens: 9, total_tokens: 57 },
    cost_usd: 0.00003,
  },
};

export const readJob: JobRecord = {
  ...queuedJob,
  ...ended,
  job_type: 'ocr',
  model: ocr,
  input_type: 'drive_file',
  filename: 'inspection.pdf',
  drive_folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E',
  drive_result_file_id: '1f0gWq3xkZ8b2yTnLr5sVd7uHc9aJp4eM',
  result: {
    type: 'ocr',
    page_count: 2,
    images_used: 1,
    text: 'Inspection report\n\nTwo cracked valves were found.',
    pages: [
      { page: 1, source: 'text_layer', confidence: null, text: 'Inspection report' },
      { page: 2, source: 'ocr', confidence: 0.97, text: 'Two cracked valves were found.' },
    ],
    cost_usd: 0.0015,
  },
};

export const folderJob: JobRecord = {
  ...queuedJob,
  ...ended,
  job_type: 'auto',
  model: ocr,
  input_type: 'drive_folder',
  drive_folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E',
  result: {
    type: 'folder',
    files: { found: 12, done: 9, failed: 1, cancelled: 0, skipped: 1, unsupported: 1 },
    failed_files: [
      {
        job_id: 'job_019aa1f2-7c1b-7e20-8b13-9d3c5a7f1e24',
        file_id: '1sTWaJ_j7PkjzaBWtNc3IzovK5hQf21FbOw9yLeeLPNQ',
        filename: 'broken.pdf',
        error: 'broken.pdf can’t be read: it is no PDF.',
      },
    ],
  },
};
