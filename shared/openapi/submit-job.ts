import { ExtractInput } from '../jobs/kinds/extraction/extract-input.ts';
import { maxLines } from '../jobs/kinds/requests/file-line.ts';
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
import { folderResult } from './job-results.ts';
import { queuedJob } from './jobs.ts';
import { component, content, json, operation, parameters } from './operation.ts';

const engines = catalogue.ocrEngines.map(({ id }) => `\`${id}\``).join(', ');

export const components = {
  JobSubmission: component(
    JobSubmission,
    'A job to be done. Exactly one of `inline`, `drive` and `file_id` must be given.',
    {
      job_type:
        '`chat` asks a model, `ocr` reads images and pages, and returns texts as they are; `auto`, for a file, decides by its content: images and PDF are read, and so is a document with one of these in it, or without any text; text, Markdown, CSV, JSON, Word, Excel, PowerPoint, OpenDocument, RTF, HTML, email, EPUB, ZIP and Google Docs, Sheets and Slides go to a model.',
      model: `The model to use; without it the default for the type of job. An \`ocr\` job takes an OCR engine (${engines}), or a model that sees.`,
      inline:
        'The input itself. An `ocr` job reads the image and file parts of the messages; a `chat` job puts the text of file parts to the model.',
      drive: 'A file or folder on Google Drive, in a folder that the key may read.',
      file_id:
        'A file of your key, of `POST /v1/files` or an upload: a document, a text, or a JSON Lines file of requests. Its job works on it as on a file of the drive, and keeps its result.',
      priority:
        'Lower is processed sooner. A key may have a best priority: a better one is raised to it, and the job has both.',
      max_retries: 'How often the job is tried again after a failure that may pass.',
      pipeline:
        '`ocr_then_chat` reads the pages, then hands their text to a model: for drive input, a `file_id`, or inline images and files.',
      pipeline_instruction: 'What the model of the pipeline is to do with the text.',
      extract:
        'Takes fields from the document, each with the page and the words where it stands: for drive input, a `file_id`, or inline images and files of any type, in place of a pipeline.',
      force_ocr:
        'Reads every page of a PDF as an image, whatever text it says it has, and the pictures beside the text of other documents too.',
      dry_run:
        'Estimates what the job would come to, of whichever input, and makes, keeps and holds nothing: the answer is a 200 with the estimate.',
      fresh:
        'Reads every page anew. Without it, a page of the same content that this key has had read before, by the same engine or model, is taken from there: `cached` on the page, no image of the hour, no cost. In a folder, files that were done before are done again.',
      metadata:
        'Up to 16 tags of your own, kept on the job, on those made for it, and on their charges, and told to no model: the operator’s exports can be grouped by them. A line of a file of requests may have its own, which are added to these.',
    },
  ),
  ExtractInput: component(
    ExtractInput,
    'The fields to take from a document. Exactly one of `schema` and `example` must be given.',
    {
      schema:
        'A JSON Schema of an object with at most 100 fields: strings, numbers, integers, booleans, enums, dates, objects, and arrays of these.',
      example: 'An object as it is wanted, of which a schema is made; the job’s record shows it.',
      require_evidence: 'Has a value that was not found on a page come as null.',
      vision:
        'Puts pages that were read with a low confidence to the model as pictures too: `true` for those below 80, or a limit of your own. The model must see.',
      table:
        'Writes tables beside the source on the drive, CSV and JSON Lines; for a folder, one with a row for each document.',
      instruction: 'What else the model should know of the fields.',
    },
  ),
  InlineInput: component(InlineInput, 'Input that comes with the submission.', {
    messages: 'The conversation to be answered, or the images and files to be read.',
  }),
  DriveInput: component(
    DriveInput,
    'Input on Google Drive. Exactly one of `file_id` and `folder_id` must be given.',
    {
      file_id: `One file: one job. A JSON Lines file of requests may have ${maxLines.toLocaleString('en')} lines.`,
      folder_id:
        'A folder: one job for each of its files that no earlier job has done or is doing, or with `fresh` for all. The answer is the folder’s own job, and each file’s job names it as its `parent_job_id`.',
      recursive:
        'Takes the files of the folders below it too: at most 500 folders, down to 20 levels.',
    },
  ),
  JobEstimate: component(JobEstimate, 'What a submission would come to.', {
    dry_run: 'Always true: nothing was made.',
    files: 'The files by what would become of them.',
    left_out: 'The first hundred files that no job would be made for, and why.',
    left_out_more: 'How many more there are.',
    subfolders: 'The folders within the folder.',
    pages: 'The pages that would be read, as far as they are known beforehand.',
    max_cost_usd:
      'The most that the files can cost, in USD, without the model calls of those that `unbounded_files` counts. Small PDFs are opened, and their pages with a text layer cost nothing; a document that isn’t opened counts with as many pages as a document may have.',
    likely_cost_usd:
      'What it likely costs, in USD, all files together: with four bytes of text for a token, 2,000 bytes of text on a page that is read, a page for each 100 KB of a document that isn’t opened, and one answer to each question. No more than a guess.',
    assumed_answer_tokens:
      'As how many tokens `likely_cost_usd` counts an answer; `max_cost_usd` counts as many as the model may write.',
    unbounded_files:
      'How many files don’t show beforehand how many calls they take: files of requests, long texts, Office files, mails and archives, Google documents, and PDFs of more than 2 MB of a pipeline or an extraction. Of other files of an extraction the most counts that their windows can take, with all that is asked again.',
    is_complete: 'False if the folder has more files than could be listed in time.',
  }),
  EstimatedFiles: component(EstimatedFiles, 'Files by what would become of them.', {
    found: 'All files.',
    pending: 'A job would be made for each.',
    skipped: 'Already done, or being worked on, by an earlier job.',
    unsupported: 'Of a type that no job takes.',
    unreadable: 'Shortcuts to what the key may not read. They are not among those found.',
  }),
  EstimatedPages: component(EstimatedPages, 'Pages that would be read.', {
    known: 'Pages of images, one each, and of PDFs of up to 2 MB.',
    unknown_files: 'Documents that must be opened before their pages can be counted.',
    assumed_each: 'As how many pages `max_cost_usd` counts each of them.',
  }),
};

const estimate: JobEstimate = {
  dry_run: true,
  files: { found: 12, pending: 10, skipped: 1, unsupported: 1, unreadable: 0 },
  left_out: folderResult.left_out,
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
  parameters: [
    parameters('header', SubmissionHeader, {
      'idempotency-key': {
        name: 'Idempotency-Key',
        description:
          'Makes it safe to send the same submission again: within 24 hours the answer is the first one’s record.',
      },
    }),
  ],
  body: content(JobSubmission, {
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
    'A question about a PDF': {
      job_type: 'chat',
      inline: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'When does this contract end?' },
              {
                type: 'file',
                file: {
                  filename: 'contract.pdf',
                  file_data: 'data:application/pdf;base64,JVBERi0xLjcK',
                },
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
    'The fields of an invoice, with where each stands': {
      job_type: 'auto',
      file_id: 'file-0199b3c1d2e37f40a1b2c3d4e5f60718',
      extract: {
        example: {
          number: 'INV-17',
          date: '2026-10-02',
          total: 118.4,
          items: [{ description: 'Valve', quantity: 2, amount: 59.2 }],
        },
      },
    },
    'A file of the key': { job_type: 'auto', file_id: 'file-0199b3c1d2e37f40a1b2c3d4e5f60718' },
    'A folder on the drive': {
      job_type: 'auto',
      drive: { folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E' },
      priority: 50,
      max_retries: 5,
    },
    'What a folder and those below it would cost': {
      job_type: 'ocr',
      drive: { folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E', recursive: true },
      dry_run: true,
    },
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
