import { metadataOf } from '../../ledger/terms/metadata.ts';
import { isRead, recordModelOf } from '../asked/task.ts';
import type { Job, JobKey } from '../engine/item/job.ts';
import { newJob } from '../engine/item/new-job.ts';
import { extractOf } from '../kinds/extraction/extract-input.ts';
import { kinds } from '../kinds/kinds.ts';
import type { SourceJob } from '../sources/source-job.ts';
import type { JobSubmission } from './submission.ts';

/** Returns the job that a submission asks for, without its inline content. `others` replace its attributes. */
export function jobOf(
  key: JobKey,
  submission: JobSubmission,
  others: Partial<SourceJob> = {},
): SourceJob {
  const { job_type, priority, max_retries, model, pipeline, pipeline_instruction } = submission;
  const { drive, file_id, force_ocr, fresh, metadata, extract } = submission;
  return newJob(kinds[kindFor(submission)], {
    ...key,
    job_type,
    model: recordModelOf(submission),
    input_type: inputTypeOf(submission),
    priority,
    max_retries,
    ...(model !== null && { asked_model: model }),
    ...(pipeline !== null && { pipeline }),
    // An empty instruction is none.
    ...(pipeline_instruction && { pipeline_instruction }),
    ...(extract && extractOf(extract)),
    ...(force_ocr && { force_ocr }),
    ...(fresh && { fresh }),
    ...metadataOf(metadata),
    ...(drive?.folder_id && { drive_folder_id: drive.folder_id }),
    ...(drive?.recursive && { recursive: true }),
    ...(drive?.file_id && { drive_file_id: drive.file_id }),
    ...(file_id && { file_id }),
    ...others,
  });
}

/** An `auto` job is a document until its file is opened and shows what to do. */
function kindFor(submission: JobSubmission) {
  if (submission.drive?.folder_id) return 'folder';
  return isRead(submission) ? 'document' : 'chat';
}

function inputTypeOf({ inline, drive }: JobSubmission): Job['input_type'] {
  if (inline) return 'inline';
  if (drive) return drive.folder_id ? 'drive_folder' : 'drive_file';
  return 'file';
}
