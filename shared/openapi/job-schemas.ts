import { JobList, JobRecord } from '../jobs/record.ts';
import {
  ChatBatchResult,
  ChatResult,
  FailedFile,
  FileCounts,
  FolderResult,
  JobResult,
  LineCounts,
  OcrPage,
  OcrResult,
  PipelineResult,
  TokenCounts,
} from '../jobs/result.ts';
import { component } from './component.ts';

const type = 'What kind of result this is.';
const cost = 'What it cost, in USD.';
const usage = 'The tokens it took.';
const url = 'A link to the text, good for an hour, where it is too long to be answered here.';

const resultComponents = {
  JobResult: component(JobResult, 'What a job came to.'),
  ChatResult: component(ChatResult, 'What a model answered.', {
    type,
    content: 'The answer; null in a list where it is long.',
    finish_reason: 'Why the model stopped: `stop`, `length` …',
    usage,
    cost_usd: cost,
    parts: 'In how many parts a document was answered that is too long for the model.',
  }),
  ChatBatchResult: component(
    ChatBatchResult,
    'What the lines of a batch file came to: a JSON Lines file of requests.',
    {
      type,
      lines: 'How many lines there are, and how they ended.',
      content: 'The results, one JSON line for each request.',
      usage,
      cost_usd: cost,
      url,
    },
  ),
  LineCounts: component(LineCounts, 'The lines of a batch file by how they ended.', {
    total: 'All lines.',
    completed: 'Those that were answered.',
    failed: 'Those that were not.',
  }),
  OcrResult: component(OcrResult, 'What was read.', {
    type,
    page_count: 'How many pages the document has.',
    images_used: 'How many of them were read as images, and count against the hourly allowance.',
    text: 'All text in reading order, tables as Markdown; null where `url` leads to it.',
    pages: 'Page by page; none in a list where the result is long.',
    failed_pages: 'The pages that could not be read; absent where all were.',
    cost_usd: cost,
    url,
  }),
  OcrPage: component(OcrPage, 'One page.', {
    page: 'Its number, from 1.',
    source: '`text_layer` where the document itself has the text, `ocr` where an image was read.',
    confidence: 'How sure the reading is, from 0 to 100; null for a text layer.',
    text: 'The page’s text.',
    error: 'Why the page could not be read.',
  }),
  PipelineResult: component(PipelineResult, 'What both steps of a pipeline came to.', {
    type,
    ocr: 'What was read.',
    chat: 'What the model made of it; null where that step failed.',
    cost_usd: 'What both steps cost, in USD.',
  }),
  FolderResult: component(FolderResult, 'What became of a folder’s files.', {
    type,
    files: 'The files by what became of them.',
    failed_files:
      'The first hundred that failed; `GET /batch/jobs?parent_job_id=` lists all files’ jobs.',
  }),
  FileCounts: component(FileCounts, 'A folder’s files by what became of them.', {
    found: 'All files in the folder.',
    done: 'Done.',
    failed: 'Failed.',
    cancelled: 'Cancelled.',
    skipped: 'Already done, or being worked on, by an earlier job.',
    unsupported: 'Of a type that no job takes.',
  }),
  FailedFile: component(FailedFile, 'A file whose job failed.', {
    job_id: 'Its job.',
    file_id: 'Its id on the drive.',
    filename: 'Its name.',
    error: 'Why it failed.',
  }),
  TokenCounts: component(TokenCounts, 'Tokens as the provider counts them.', {
    prompt_tokens: 'Of what was asked.',
    completion_tokens: 'Of the answer.',
    total_tokens: 'Both.',
  }),
};

export const jobComponents = {
  Job: component(JobRecord, 'A job as it stands now.', {
    id: '`job_` and a UUID that sorts by time.',
    status:
      '`queued` → `processing` → `done` or `failed`; back to `queued` to be tried again or to go on later; `cancelled` from `queued`.',
    job_type: 'As it was submitted.',
    model: 'The model or OCR engine at work.',
    input_type: 'Where the input comes from.',
    filename: 'The name of the file on the drive.',
    priority: 'Lower is processed sooner.',
    retry_count: 'How often it has been tried again.',
    max_retries: 'How often it may be.',
    result: 'What it came to, once it is done.',
    error: 'Why it failed, or why it will be tried again.',
    drive_folder_id: 'The folder on the drive.',
    drive_result_file_id: 'The file that the result was written to, beside the source.',
    pipeline: '`ocr_then_chat`, or null.',
    pipeline_instruction: 'As it was submitted.',
    parent_job_id: 'The job that this one is a part of.',
    created_at: 'When it was submitted.',
    started_at: 'When its latest attempt began.',
    completed_at: 'When it ended.',
  }),
  JobList: component(JobList, 'A page of jobs.', {
    jobs: 'The newest first.',
    next_cursor: 'The `cursor` of the next page; null on the last.',
  }),
  ...resultComponents,
};
