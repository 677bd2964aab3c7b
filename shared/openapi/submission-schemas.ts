import { DriveInput, InlineInput, JobSubmission } from '../jobs/submission.ts';
import { catalogue } from '../models/catalogue.ts';
import { component } from './component.ts';

const engines = catalogue.ocrEngines.map(({ id }) => `\`${id}\``).join(', ');

export const submissionComponents = {
  JobSubmission: component(
    JobSubmission,
    'A job to be done. Exactly one of `inline` and `drive` must be given.',
    {
      job_type:
        '`chat` asks a model, `ocr` reads images and pages; `auto`, for a file on the drive, decides by its type: images and PDF are read, text, Markdown, CSV, JSON and Google Docs, Sheets and Slides go to a model.',
      model: `The model to use; without it the default for the type of job. An \`ocr\` job takes an OCR engine (${engines}), or a model that sees.`,
      inline: 'The input itself. An `ocr` job reads the image parts of the messages.',
      drive: 'A file or folder on Google Drive, in a folder that the key may read.',
      priority: 'Lower is processed sooner.',
      max_retries: 'How often the job is tried again after a failure that may pass.',
      pipeline:
        '`ocr_then_chat` reads the pages, then hands their text to a model: for drive input, or inline images.',
      pipeline_instruction: 'What the model of the pipeline is to do with the text.',
      force_ocr: 'Reads every page as an image, whatever text the document says it has.',
    },
  ),
  InlineInput: component(InlineInput, 'Input that comes with the submission.', {
    messages: 'The conversation to be answered, or the images to be read.',
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
