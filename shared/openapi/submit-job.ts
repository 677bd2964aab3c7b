import { JobRecord } from '../jobs/record.ts';
import { DriveInput, InlineInput, JobSubmission, SubmissionHeader } from '../jobs/submission.ts';
import { catalogue } from '../models/catalogue.ts';
import { errorAnswer, validationErrors } from './error-answers.ts';
import { queuedJob } from './jobs.ts';
import { component, content, json, type Operation, parameters } from './operation.ts';

const engines = catalogue.ocrEngines.map(({ id }) => `\`${id}\``).join(', ');

export const submissionComponents = {
  JobSubmission: component(
    JobSubmission,
    'A job to be done. Exactly one of `inline` and `drive` must be given.',
    {
      job_type:
        '`chat` asks a model, `ocr` reads images and pages; `auto`, for a file on the drive, decides by its content: images and PDF are read, and so is a document with one of these in it, or without any text; text, Markdown, CSV, JSON, Word, Excel, PowerPoint, OpenDocument, RTF, HTML, email, EPUB, ZIP and Google Docs, Sheets and Slides go to a model.',
      model: `The model to use; without it the default for the type of job. An \`ocr\` job takes an OCR engine (${engines}), or a model that sees.`,
      inline:
        'The input itself. An `ocr` job reads the image and file parts of the messages; a `chat` job puts the text of file parts to the model.',
      drive: 'A file or folder on Google Drive, in a folder that the key may read.',
      priority: 'Lower is processed sooner.',
      max_retries: 'How often the job is tried again after a failure that may pass.',
      pipeline:
        '`ocr_then_chat` reads the pages, then hands their text to a model: for drive input, or inline images and files.',
      pipeline_instruction: 'What the model of the pipeline is to do with the text.',
      force_ocr:
        'Reads every page of a PDF as an image, whatever text it says it has, and the pictures beside the text of other documents too.',
    },
  ),
  InlineInput: component(InlineInput, 'Input that comes with the submission.', {
    messages: 'The conversation to be answered, or the images and files to be read.',
  }),
  DriveInput: component(
    DriveInput,
    'Input on Google Drive. Exactly one of `file_id` and `folder_id` must be given.',
    {
      file_id: 'One file: one job.',
      folder_id:
        'A folder: one job for each of its files that no earlier job has done or is doing. The answer is the folder’s own job, and each file’s job names it as its `parent_job_id`.',
    },
  ),
};

export const submitOperation: Operation = {
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
    'A folder on the drive': {
      job_type: 'auto',
      drive: { folder_id: '0BwwA4oUTeiV1TGRPeTVjaWRDY1E' },
      priority: 50,
      max_retries: 5,
    },
  }),
  answers: {
    202: json('The job was accepted.', JobRecord, { 'A job that waits': queuedJob }),
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
      'A file that was uploaded elsewhere': {
        loc: ['body', 'inline', 'messages', 0, 'content', 1, 'file', 'file_id'],
        msg: 'Value error, uploaded files are not read; send the file itself as a data URL, data:application/pdf;base64,…',
        type: 'value_error',
      },
      'Both kinds of input': {
        loc: ['body'],
        msg: 'Value error, exactly one of inline and drive must be given',
        type: 'value_error',
      },
    }),
  },
};
