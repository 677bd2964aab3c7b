import * as v from 'valibot';
import { hasImage, Message } from '../chat/message.ts';
import { valueError } from '../http/errors.ts';
import { saying } from '../http/field-errors.ts';
import { dictionary, integerBetween, stringUpTo } from '../http/schema.ts';
import { catalogue, findModel, type Model } from '../models/catalogue.ts';

const orNull = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.nullable(schema), null);

const InlineInput = dictionary(v.object({ messages: v.pipe(v.array(Message), v.minLength(1)) }));
const DriveInput = dictionary(
  v.object({ file_id: orNull(v.string()), folder_id: orNull(v.string()) }),
);

/** The body of `POST /batch/jobs`. */
export const JobSubmission = dictionary(
  v.object({
    job_type: v.picklist(['chat', 'ocr', 'auto']),
    model: orNull(v.string()),
    inline: orNull(InlineInput),
    drive: orNull(DriveInput),
    priority: v.optional(integerBetween(1, 100), 10),
    max_retries: v.optional(integerBetween(0, 10), 3),
    pipeline: orNull(v.picklist(['ocr_then_chat'])),
    pipeline_instruction: orNull(stringUpTo(2000)),
  }),
);

export type JobSubmission = v.InferOutput<typeof JobSubmission>;

/** The header that makes a submission safe to send again. */
export const SubmissionHeader = v.object({
  'idempotency-key': v.optional(
    v.pipe(
      stringUpTo(255),
      v.check(
        (key) => key.length > 0,
        saying('string_too_short', 'String should have at least 1 character'),
      ),
    ),
  ),
});

/** An inline chat job that may be accepted. */
export interface InlineChat {
  messages: v.InferOutput<typeof Message>[];
  model: Model;
}

/** Checks the rules that span fields; answers what the job runs on. */
export function inlineChatOf(submission: JobSubmission): InlineChat {
  const { inline, drive, job_type, pipeline } = submission;
  if ((inline === null) === (drive === null)) {
    throw valueError(['body'], 'exactly one of inline and drive must be given');
  }
  if (drive !== null) return refuseDrive(drive);
  const messages = inline?.messages ?? [];
  if (job_type === 'auto') {
    throw valueError(['body', 'job_type'], 'auto needs drive input');
  }
  if ((job_type === 'ocr' || pipeline) && !messages.some(hasImage)) {
    throw job_type === 'ocr'
      ? valueError(['body', 'inline', 'messages'], 'an ocr job needs at least one image part')
      : valueError(['body', 'pipeline'], 'a pipeline needs drive input or inline images');
  }
  if (job_type === 'ocr') throw valueError(['body', 'job_type'], 'ocr is not available yet');
  if (pipeline) throw valueError(['body', 'pipeline'], 'pipelines are not available yet');
  return { messages, model: modelFor(submission.model) };
}

function refuseDrive({ file_id, folder_id }: v.InferOutput<typeof DriveInput>): never {
  if ((file_id === null) === (folder_id === null)) {
    throw valueError(['body', 'drive'], 'exactly one of file_id and folder_id must be given');
  }
  throw valueError(['body', 'drive'], 'drive input is not available yet');
}

function modelFor(id: string | null): Model {
  const model = findModel(id ?? catalogue.defaults.chat);
  if (!model) {
    const known = catalogue.models.map((each) => each.id).join(', ');
    throw valueError(['body', 'model'], `no such model; the models here are ${known}`);
  }
  return model;
}
