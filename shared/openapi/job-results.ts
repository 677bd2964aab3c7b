import { maxLines } from '../jobs/kinds/requests/file-line.ts';
import * as results from '../jobs/results/result.ts';
import { lowConfidence, ResultWarning } from '../jobs/results/warnings.ts';
import { component } from './operation.ts';

const type = 'What kind of result this is.';
const cost = 'What it cost, in USD.';
const usage = 'The tokens it took.';
const url =
  'A link to the text, where it is too long to be answered here. It is good for an hour at most, and may end before: read the job again for a new one.';

/** What the document says of jobs' results; examples of them follow. */
export const components = {
  JobResult: component(results.JobResult, 'What a job came to.'),
  ChatResult: component(results.ChatResult, 'What a model answered.', {
    type,
    content: 'The answer; null in a list where it is long.',
    finish_reason: 'Why the model stopped: `stop`, `length` …',
    usage,
    cost_usd: cost,
    parts: 'In how many parts a document was answered that is too long for the model.',
    max_tokens:
      'The most tokens that the answer could have, if the key’s budget does not cover all that the model can write.',
    warnings:
      'What the text of a document lacks that was asked about, by its parts; absent where nothing is.',
  }),
  ChatBatchResult: component(
    results.ChatBatchResult,
    `What the lines of a file of requests came to: a JSON Lines file of at most ${maxLines.toLocaleString('en')}. A file none of whose lines can be asked fails as a whole; a batch, one of whose can’t.`,
    {
      type,
      lines: 'How many lines there are, and how they ended.',
      content: 'The results, one JSON line for each request; null for a batch.',
      usage,
      cost_usd: cost,
      url,
      output_file_id: 'The file of a batch’s answers.',
      error_file_id: 'The file of what failed in a batch, or was not asked.',
      token_details: 'Of a batch’s tokens, those that were cached, and those that were thought.',
    },
  ),
  LineCounts: component(results.LineCounts, 'The lines of a batch file by how they ended.', {
    total: 'All lines but blank ones; of a job that was stopped, those that were asked.',
    completed: 'Those that were answered.',
    failed: 'Those that were not.',
  }),
  OcrResult: component(results.OcrResult, 'What was read.', {
    type,
    page_count: 'How many pages the document has.',
    images_used:
      'How many of them were read as images now, and count against the hourly allowance.',
    text: 'All text in reading order, tables as Markdown; null where `url` leads to it.',
    pages: 'Page by page; none in a list where the result is long.',
    failed_pages: 'The pages that could not be read; absent where all were.',
    low_confidence_pages: `The pages to be looked at by a person: those read with a confidence below ${lowConfidence}. Absent where there are none, and for a model, which doesn’t say how sure it is.`,
    warnings: 'What is not in the text, or may be wrong in it; absent where nothing is.',
    cost_usd: cost,
    url,
  }),
  ResultWarning: component(ResultWarning, 'What was not read, or may be wrong.', {
    code: 'Which kind it is.',
    message: 'The same as a sentence.',
    pages: 'The pages that it is about.',
  }),
  OcrPage: component(results.OcrPage, 'One page.', {
    page: 'Its number, from 1.',
    part: 'The file that the page is of, if it is one within the document: an attachment, a file of an archive, a picture.',
    source: '`text_layer` where the document itself has the text, `ocr` where an image was read.',
    confidence:
      'How sure the reading is: the mean of the words’, from 0 to 100. Null for a text layer, and for a page that a model has read.',
    text: 'The page’s text.',
    error: 'Why the page could not be read.',
    cached:
      'Whether an earlier job of this key has read the page: then it took no image of the hour and cost nothing. Absent for a page that was read now.',
  }),
  PipelineResult: component(results.PipelineResult, 'What both steps of a pipeline came to.', {
    type,
    ocr: 'What was read.',
    chat: 'What the model made of it; null where that step failed.',
    cost_usd: 'What both steps cost, in USD.',
  }),
  ExtractResult: component(
    results.ExtractResult,
    'The fields of a document, with where each value stands.',
    {
      type,
      data: 'The values, in the shape of the schema; null in a list where the result is long, and where `url` leads to it.',
      evidence: 'For each value, where it stands on the pages.',
      coverage: 'What became of each page, and the rows of each array as they were counted.',
      schema: 'The schema, as it was given or made of the example.',
      windows:
        'In how many calls the pages were put to the model, how many more asked for rows that were missing, and how many could not be answered.',
      usage,
      cost_usd: 'What reading and extracting cost together, in USD.',
      ocr: 'What reading the pages came to; null in the job of the extraction’s own step.',
      url: 'A link to the whole result as JSON, where it is too long to be answered here. It is good for an hour at most, and may end before: read the job again for a new one.',
    },
  ),
  Evidence: component(results.Evidence, 'Where a value stands.', {
    path: 'The value’s place in `data`, as a JSON pointer.',
    page: 'The page; null where it was not found.',
    quote: 'The text there, as the model quoted it.',
    boxes:
      'Where it stands on the page: a rectangle for each line, in per mille of the page as it stands upright. None where only the text of the page is known.',
    found:
      '`exact`; `normalized` where spaces, signs, or the form of a number or date differ; or `not found`.',
    confidence:
      'How sure it is, from 0 to 1, as it was measured: by the match, and by the reading of its words.',
  }),
  ExtractCoverage: component(results.ExtractCoverage, 'What became of pages and rows.', {
    pages: 'Every page of the document.',
    arrays: 'Every array of the schema.',
  }),
  CoveredPage: component(results.CoveredPage, 'A page of an extraction.', {
    page: 'Its number, from 1.',
    part: 'The file that the page is of, if it is one within the document.',
    status:
      '`used`: it was put to the model. `empty`: nothing stands on it. `failed`: it could not be read. `left_out`: the model was asked, and gave no answer that could be read.',
    reason: 'Why it failed or was left out.',
    turn: 'By how many degrees, clockwise, it must be turned to stand upright, as the boxes say; absent for one that does.',
  }),
  CoveredArray: component(results.CoveredArray, 'The rows of an array.', {
    path: 'The array’s place in `data`, as a JSON pointer.',
    returned: 'How many rows were returned.',
    on_pages: 'How many were counted on the pages; null where they can’t be counted.',
    missing: 'The first hundred rows on the pages that no row of `data` claims.',
  }),
  MissingRow: component(results.MissingRow, 'A row on a page that no row of the data claims.', {
    page: 'The page.',
    text: 'The row as it stands there.',
    box: 'Where it stands.',
  }),
  PagesRead: component(results.PagesRead, 'What reading the pages came to.', {
    page_count: 'How many pages the document has.',
    images_used: 'How many were read as images now.',
    cost_usd: 'What reading them cost, in USD.',
    failed_pages: 'The pages that could not be read; absent where all were.',
    low_confidence_pages: 'The pages that were read with a low confidence; absent where none was.',
    warnings: 'What was not read, or may be wrong; absent where nothing is.',
  }),
  FolderResult: component(results.FolderResult, 'What became of a folder’s files.', {
    type,
    files: 'The files by what became of them.',
    failed_files:
      'The first hundred that failed; `GET /batch/jobs?parent_job_id=` lists all files’ jobs.',
    left_out: 'The first hundred files that no job was made for, and why.',
    left_out_more: 'How many more there are.',
    subfolders: 'The folders within the folder.',
    cost_usd: 'What the jobs of its files cost, in USD.',
  }),
  LeftOutFile: component(results.LeftOutFile, 'A file of a folder that no job was made for.', {
    file_id: 'Its id on the drive; a shortcut’s, if its target may not be read.',
    filename: 'Its name, cut at 200 characters.',
    reason:
      '`unsupported_file_type`: no job takes it, or not one of this type. `already_submitted`: an earlier job has done the same with it, or is doing it. `unreadable`: a shortcut to what the key may not read.',
    job_id: 'The earlier job.',
  }),
  SubfolderCounts: component(results.SubfolderCounts, 'The folders within a folder.', {
    found: 'How many were found.',
    listed:
      'How many of them had their files taken too: none without `recursive`; with it, at most 500, down to 20 levels.',
  }),
  FileCounts: component(results.FileCounts, 'A folder’s files by what became of them.', {
    found: 'All files in the folder.',
    done: 'Done.',
    failed: 'Failed.',
    cancelled: 'Cancelled.',
    skipped: 'Already done, or being worked on, by an earlier job.',
    unsupported: 'Of a type that no job takes.',
  }),
  FailedFile: component(results.FailedFile, 'A file whose job failed.', {
    job_id: 'Its job.',
    file_id: 'Its id on the drive.',
    filename: 'Its name.',
    error: 'Why it failed.',
  }),
  TokenCounts: component(results.TokenCounts, 'Tokens as the provider counts them.', {
    prompt_tokens: 'Of what was asked.',
    completion_tokens: 'Of the answer.',
    total_tokens: 'Both.',
  }),
};

export const chatResult: results.ChatResult = {
  type: 'chat',
  content: 'The valves were replaced within a week.',
  finish_reason: 'stop',
  usage: { prompt_tokens: 48, completion_tokens: 9, total_tokens: 57 },
  cost_usd: 0.00003,
};

export const ocrResult: results.OcrResult = {
  type: 'ocr',
  page_count: 2,
  images_used: 1,
  text: 'Inspection report\n\nTwo cracked valves were found.',
  pages: [
    { page: 1, source: 'text_layer', confidence: null, text: 'Inspection report' },
    { page: 2, source: 'ocr', confidence: 97.2, text: 'Two cracked valves were found.' },
  ],
  cost_usd: 0.0015,
};

export const folderResult: results.FolderResult = {
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
  left_out: [
    {
      file_id: '1mZ0p6tXq4LwR8bKc2VhN7yUeJd5sGaFo',
      filename: 'drawings.zip',
      reason: 'unsupported_file_type',
    },
    {
      file_id: '1b9HkT3vQe7Zs5NxWf1LyRc8PjMu2AgDo',
      filename: 'inspection.pdf',
      reason: 'already_submitted',
      job_id: 'job_019aa1f2-6b40-7a11-8c02-54d1e0f7a3b9',
    },
  ],
  left_out_more: 0,
  subfolders: { found: 2, listed: 0 },
  cost_usd: 0.0135,
};

export const extractResult: results.ExtractResult = {
  type: 'extract',
  data: { number: 'INV-17', total: 118.4 },
  evidence: [
    {
      path: '/number',
      page: 1,
      quote: 'Invoice INV-17',
      boxes: [[612, 84, 731, 101]],
      found: 'exact',
      confidence: 0.98,
    },
    {
      path: '/total',
      page: 1,
      quote: 'Total 118,40 €',
      boxes: [[702, 640, 788, 657]],
      found: 'normalized',
      confidence: 0.91,
    },
  ],
  coverage: {
    pages: [
      { page: 1, status: 'used' },
      { page: 2, status: 'empty' },
    ],
    arrays: [],
  },
  schema: { type: 'object', properties: { number: { type: 'string' }, total: { type: 'number' } } },
  windows: { total: 1, repairs: 0, failed: 0 },
  usage: { prompt_tokens: 812, completion_tokens: 74, total_tokens: 886 },
  cost_usd: 0.003351,
  ocr: { page_count: 2, images_used: 2, cost_usd: 0.003 },
};
