import * as v from 'valibot';
import { FormFile } from '../http/form-file.ts';
import { integerBetween, integerText, listOf, stringUpTo } from '../http/schema.ts';
import { givenPurposes } from './file.ts';
import { maxParts } from './upload-part.ts';

/** How long a file may be seen that is to expire, in seconds: an hour to 30 days, as in the protocol. */
export const lifetime = [3_600, 2_592_000] as const;

const anchor = v.literal('created_at');

/** When a file goes, in a form and in JSON. */
export const FormExpiry = v.object({ anchor, seconds: integerText(...lifetime) });
export const Expiry = v.object({ anchor, seconds: integerBetween(...lifetime) });

const purpose = v.picklist(givenPurposes);

/** The form of `POST /v1/files`. */
export const FileForm = v.object({
  file: FormFile,
  purpose,
  expires_after: v.optional(FormExpiry),
});

/** The path of a route to one file. */
export const FilePath = v.object({ file_id: v.string() });

/** `Range: bytes=100-` or `bytes=100-199`, by which a client goes on with a download that broke off. */
export const RangeHeader = v.object({ range: v.optional(v.string()) });

/** @see https://platform.openai.com/docs/api-reference/uploads/create */
const maxUploadBytes = 8 * 2 ** 30;

/** The body of `POST /v1/uploads`. */
export const UploadRequest = v.object({
  filename: v.pipe(stringUpTo(500), v.minLength(1)),
  purpose,
  bytes: integerBetween(1, maxUploadBytes),
  mime_type: stringUpTo(200),
  expires_after: v.optional(v.nullable(Expiry)),
});

/** The path of a route to one upload. */
export const UploadPath = v.object({ upload_id: v.string() });

/** The form of `POST /v1/uploads/{upload_id}/parts`. */
export const PartForm = v.object({ data: FormFile });

/** The body of `POST /v1/uploads/{upload_id}/complete`. */
export const CompletionRequest = v.object({
  part_ids: listOf(v.string(), maxParts),
  md5: v.optional(v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{32}$/)))),
});
