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
import { component } from './operation.ts';

const type = 'What kind of result this is.';
const cost = 'What it cost, in USD.';
const usage = 'The tokens it took.';
const url = 'A link to the text, good for an hour, where it is too long to be answered here.';

/** What the document says of jobs' results; examples of them follow. */
export const resultComponents = {
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
    part: 'The file that the page is of, if it is one within the document: an attachment, a file of an archive, a picture.',
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

export const chatResult: ChatResult = {
  type: 'chat',
  content: 'The valves were replaced within a week.',
  finish_reason: 'stop',
  usage: { prompt_tokens: 48, completion_tokens: 9, total_tokens: 57 },
  cost_usd: 0.00003,
};

export const ocrResult: OcrResult = {
  type: 'ocr',
  page_count: 2,
  images_used: 1,
  text: 'Inspection report\n\nTwo cracked valves were found.',
  pages: [
    { page: 1, source: 'text_layer', confidence: null, text: 'Inspection report' },
    { page: 2, source: 'ocr', confidence: 0.97, text: 'Two cracked valves were found.' },
  ],
  cost_usd: 0.0015,
};

export const folderResult: FolderResult = {
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
};
