import { v7 as uuidv7 } from 'uuid';
import * as v from 'valibot';
import { getItem } from '../aws/dynamodb.ts';
import { expressUpdate } from '../aws/express-update.ts';
import { writeTransaction } from '../aws/transact.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';
import { endWith } from './delete-file.ts';
import {
  FileObject,
  findStoredFile,
  inSeconds,
  instant,
  isVisible,
  type Kept,
  lifetimeOf,
  Purpose,
  sweepLane,
  toFileObject,
} from './file.ts';
import { countFile, quotaExceeded, uncountFile } from './quota.ts';

/** An upload's item. Its bytes count in the quota from its creation on. */
export interface StoredUpload extends Kept {
  status: 'pending' | 'completed' | 'cancelled' | 'expired';
  filename: string;
  purpose: Purpose;
  mime_type: string;
  /** The size that its parts must have together. */
  bytes: number;
  created_at: number;
  /** When it takes no more parts, in seconds. */
  upload_expires_at: number;
  /** How long callers see its file. */
  lifetime?: number;
  /** The bytes that were sent so far; those sent twice count twice. */
  received_bytes: number;
  received_parts: number;
  /** The file that it has become, and a hash of what its completion asked for. */
  file_id?: string;
  completion?: string;
}

/** What a caller says of a new upload. */
export interface NewUpload
  extends Pick<StoredUpload, 'filename' | 'purpose' | 'bytes' | 'mime_type'> {
  expiresAfterSeconds?: number | undefined;
}

/** An upload takes parts for an hour, as in the protocol. */
const pendingSeconds = 3600;

/** How long completed uploads and all parts are known: longer than clients ask about them. */
export const knownSeconds = 2 * 86_400;

/** Begins an upload. Throws a 400 if the key's quota has no place for its file. */
export async function createUpload(
  keyId: string,
  { filename, purpose, bytes, mime_type, expiresAfterSeconds }: NewUpload,
): Promise<StoredUpload> {
  const now = inSeconds(Date.now());
  const lifetime = lifetimeOf(purpose, expiresAfterSeconds);
  const upload: StoredUpload = {
    key_id: keyId,
    entry: `upload_${uuidv7().replaceAll('-', '')}`,
    status: 'pending',
    filename,
    purpose,
    mime_type,
    bytes,
    created_at: now,
    upload_expires_at: now + pendingSeconds,
    received_bytes: 0,
    received_parts: 0,
    lane: sweepLane,
    due_at: instant((now + pendingSeconds) * 1000),
    ...(lifetime !== undefined && { lifetime }),
  };
  const put = { Put: { TableName: setting('FILES_TABLE'), Item: upload } };
  if (await writeTransaction([put, countFile(keyId, bytes)])) throw quotaExceeded();
  return upload;
}

const uploadIdPattern = /^upload_[0-9a-f]{32}$/;

/** Finds an upload of a key. Throws the 404 that is the same for all that a key can't see. */
export async function requireUpload(keyId: string, id: string): Promise<StoredUpload> {
  const upload = uploadIdPattern.test(id)
    ? await getItem<StoredUpload>(setting('FILES_TABLE'), { key_id: keyId, entry: id })
    : undefined;
  if (!upload) {
    throw new ServiceError(404, 'not_found', `No such Upload object: ${id}`, {
      param: 'upload_id',
    });
  }
  return upload;
}

/** Whether an upload still takes parts, and may be completed or cancelled. */
export const isPending = ({ status, upload_expires_at }: StoredUpload) =>
  status === 'pending' && upload_expires_at > inSeconds(Date.now());

/** Says why an upload takes nothing any more. */
export function notPending(upload: StoredUpload): ServiceError {
  const status = upload.status === 'pending' ? 'expired' : upload.status;
  const message = `Upload ${upload.entry} is ${status}: it takes no more parts, and can't be completed or cancelled.`;
  return new ServiceError(400, 'invalid_upload_status', message, { param: 'upload_id' });
}

/** Counts a part that is about to be stored. Returns whether the upload takes it. */
export async function takePart(
  { key_id, entry }: StoredUpload,
  bytes: number,
  limits: { bytes: number; parts: number },
): Promise<boolean> {
  const update = expressUpdate(setting('FILES_TABLE'), { key_id, entry }, (value, name) => ({
    when: [
      `${name('status')} = ${value('pending')}`,
      `received_bytes <= ${value(limits.bytes - bytes)}`,
      `received_parts < ${value(limits.parts)}`,
    ],
    add: [`received_bytes ${value(bytes)}`, `received_parts ${value(1)}`],
  }));
  return (await updateItem(update)) !== undefined;
}

/** Ends an upload that becomes no file, and its count in the quota. Returns false if another call did. */
export const endUpload = (upload: StoredUpload, status: 'cancelled' | 'expired') =>
  endWith(upload, 'pending', status, [uncountFile(upload.key_id, upload.bytes)]);

/** An upload as callers see it. */
export const UploadObject = v.object({
  id: v.string(),
  object: v.literal('upload'),
  bytes: v.pipe(v.number(), v.integer()),
  created_at: v.pipe(v.number(), v.integer()),
  expires_at: v.pipe(v.number(), v.integer()),
  filename: v.string(),
  purpose: Purpose,
  status: v.picklist(['pending', 'completed', 'cancelled', 'expired']),
  file: v.nullable(FileObject),
});
export type UploadObject = v.InferOutput<typeof UploadObject>;

/** Writes an upload as callers see it, with the file that it has become. */
export async function toUploadObject(upload: StoredUpload): Promise<UploadObject> {
  const { key_id, file_id } = upload;
  const found = file_id ? await findStoredFile(key_id, file_id) : undefined;
  const file = found && isVisible(found) ? found : undefined;
  return {
    id: upload.entry,
    object: 'upload',
    bytes: upload.bytes,
    created_at: upload.created_at,
    expires_at: upload.upload_expires_at,
    filename: upload.filename,
    purpose: upload.purpose,
    status: upload.status,
    file: file ? toFileObject(file) : null,
  };
}
