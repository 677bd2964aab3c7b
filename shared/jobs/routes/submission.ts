import * as v from 'valibot';
import { Messages } from '../../chat/completion-message.ts';
import { refuseInMessages } from '../../chat/unsupported-parameters.ts';
import type { Caller } from '../../http/caller.ts';
import { valueError } from '../../http/errors.ts';
import { dictionary, integerBetween, ModelName, orNull, stringUpTo } from '../../http/schema.ts';
import { jobTypes } from '../../job-types.ts';
import { limitsOf } from '../../keys/key-limits.ts';
import { allowedModelsOf, isUsable, noSuchModel } from '../../keys/usable-models.ts';
import { Metadata } from '../../ledger/terms/metadata.ts';
import { findModel, findOcrEngine } from '../../models/catalogue.ts';
import { checkInlineFiles, inlineFilesOf } from '../asked/inline-files.ts';
import { canRead, chatModelOf, isRead, modelsOf } from '../asked/task.ts';
import { checkExtract, ExtractInput } from '../kinds/extraction/extract-input.ts';

/** Longer than any that Google gives. */
const DriveId = v.pipe(stringUpTo(255), v.minLength(1));

export const InlineInput = dictionary(v.object({ messages: Messages }));
export const DriveInput = dictionary(
  v.object({
    file_id: orNull(DriveId),
    folder_id: orNull(DriveId),
    /** Takes the files of the folders below the folder too. */
    recursive: v.optional(v.boolean(), false),
  }),
);

/** The body of `POST /batch/jobs`. */
export const JobSubmission = dictionary(
  v.object({
    job_type: v.picklist(jobTypes),
    model: orNull(ModelName),
    inline: orNull(InlineInput),
    drive: orNull(DriveInput),
    /** A file of the key's own: a document, or requests. */
    file_id: orNull(stringUpTo(255)),
    priority: v.optional(integerBetween(1, 100), 10),
    max_retries: v.optional(integerBetween(0, 10), 3),
    pipeline: orNull(v.picklist(['ocr_then_chat'])),
    pipeline_instruction: orNull(stringUpTo(2000)),
    /** Which fields to take from a document, with where each value stands. */
    extract: orNull(ExtractInput),
    /** Reads every page as an image, also if it has a text layer. */
    force_ocr: v.optional(v.boolean(), false),
    /** Only estimates what the job would come to, and makes nothing. */
    dry_run: v.optional(v.boolean(), false),
    /** Reads pages anew that were read before, and works again on files that were done before. */
    fresh: v.optional(v.boolean(), false),
    metadata: orNull(Metadata),
  }),
);

export type JobSubmission = v.InferOutput<typeof JobSubmission>;

/** The header that makes a submission safe to send again. */
export const SubmissionHeader = v.object({
  'idempotency-key': v.optional(v.pipe(stringUpTo(255), v.minLength(1))),
});

/** Checks the rules that span fields, and that the caller's key may do what is asked. */
export function checkSubmission(submission: JobSubmission, caller: Caller): void {
  const { inline, drive, file_id, extract } = submission;
  if ([inline, drive, file_id].filter((input) => input !== null).length !== 1) {
    throw valueError(['body'], 'exactly one of inline, drive and file_id must be given');
  }
  if (extract && submission.pipeline) {
    throw valueError(['body', 'extract'], 'give extract or pipeline, not both');
  }
  if (extract) checkExtract(extract, submission);
  if (drive) checkDrive(drive, caller);
  if (inline) checkInline(submission, inline.messages);
  checkModels(submission, caller);
  if (inline) checkMessages(submission, inline.messages);
}

function checkDrive(
  { file_id, folder_id, recursive }: v.InferOutput<typeof DriveInput>,
  caller: Caller,
): void {
  if ((file_id === null) === (folder_id === null)) {
    throw valueError(['body', 'drive'], 'exactly one of file_id and folder_id must be given');
  }
  if (recursive && folder_id === null) {
    throw valueError(['body', 'drive', 'recursive'], 'recursive needs folder_id');
  }
  if (limitsOf(caller).drive_folders.length === 0) {
    throw valueError(['body', 'drive'], noFolders(caller));
  }
}

const noFolders = ({ keyId }: Caller) =>
  `this API key may read no folder of the drive; an operator gives it some: npm run keys -- set ${keyId} --drive-folders ID,ID`;

function checkInline(submission: JobSubmission, messages: v.InferOutput<typeof Messages>): void {
  const { job_type, extract } = submission;
  if (job_type === 'auto')
    throw valueError(['body', 'job_type'], 'auto needs drive input or a file_id');
  checkInlineFiles(messages, isRead(submission));
  if (!isRead(submission) || inlineFilesOf(messages).length > 0) return;
  throw job_type === 'ocr'
    ? valueError(['body', 'inline', 'messages'], 'an ocr job needs at least one image or file part')
    : valueError(
        ['body', extract ? 'extract' : 'pipeline'],
        `${extract ? 'extract' : 'a pipeline'} needs drive input, a file_id, or inline images or files`,
      );
}

/** Checks messages that a model is asked as they are. */
function checkMessages(submission: JobSubmission, messages: v.InferOutput<typeof Messages>): void {
  const model = findModel(chatModelOf(submission));
  if (!isRead(submission) && model) refuseInMessages(model, messages, ['body', 'inline']);
}

function checkModels(submission: JobSubmission, caller: Caller): void {
  const { model, job_type } = submission;
  const allowed = allowedModelsOf(caller);
  const asked = [...(model === null ? [] : [model]), ...modelsOf(submission)];
  if (asked.some((id) => !isUsable(allowed, id))) {
    throw valueError(['body', 'model'], noSuchModel(allowed));
  }
  if (job_type === 'ocr' && model !== null && !canRead(model)) {
    throw valueError(['body', 'model'], `${model} can't read images`);
  }
  if (job_type === 'ocr' || model === null || findModel(model)) return;
  const engine = findOcrEngine(model);
  if (engine && isRead(submission)) return;
  const does = engine ? 'reads pages' : 'makes embeddings';
  throw valueError(['body', 'model'], `${model} ${does} and can't chat`);
}
