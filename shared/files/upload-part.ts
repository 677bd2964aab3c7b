import { v7 as uuidv7 } from 'uuid';
import * as v from 'valibot';
import { queryItems } from '../aws/dynamodb.ts';
import { putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';
import { type FileKey, inSeconds } from './file.ts';
import { objectIn, putObject } from './objects.ts';
import {
  isPending,
  knownSeconds,
  notPending,
  requireUpload,
  type StoredUpload,
  takePart,
} from './upload.ts';

/** A part of an upload as the table has it; its object is called as its id. */
interface StoredPart extends FileKey {
  bytes: number;
  expires_at: number;
}

/** A part whose answer was lost is sent again, under another id: an upload takes twice its bytes, and one part more. */
const maxBytesOf = ({ bytes }: StoredUpload) => 2 * bytes + Math.min(bytes, 64 * 2 ** 20);

/** The most parts of an upload: their manifest is half a MB. */
export const maxParts = 10_000;

/** A part as callers see it. */
export const UploadPart = v.object({
  id: v.string(),
  object: v.literal('upload.part'),
  created_at: v.pipe(v.number(), v.integer()),
  upload_id: v.string(),
});
export type UploadPart = v.InferOutput<typeof UploadPart>;

/** Stores a part of an upload, while that takes any. Its place in the file is told at the upload's completion. */
export async function addUploadPart(
  keyId: string,
  uploadId: string,
  data: Uint8Array,
): Promise<UploadPart> {
  const upload = await requireUpload(keyId, uploadId);
  if (!isPending(upload)) throw notPending(upload);
  const limits = { bytes: maxBytesOf(upload), parts: maxParts };
  if (!(await takePart(upload, data.length, limits))) await refusePart(upload, data.length);
  const id = `part_${uuidv7().replaceAll('-', '')}`;
  const now = inSeconds(Date.now());
  await putObject(objectIn(upload, id), data);
  const part: StoredPart = {
    key_id: keyId,
    entry: `${uploadId}/${id}`,
    bytes: data.length,
    expires_at: now + knownSeconds,
  };
  await putItem({ TableName: setting('FILES_TABLE'), Item: part });
  return { id, object: 'upload.part', created_at: now, upload_id: uploadId };
}

async function refusePart({ key_id, entry }: StoredUpload, bytes: number): Promise<never> {
  const upload = await requireUpload(key_id, entry);
  if (!isPending(upload)) throw notPending(upload);
  const left = maxBytesOf(upload) - (upload.received_bytes ?? 0);
  throw new ServiceError(
    400,
    'upload_too_large',
    `Upload ${entry} was to have ${upload.bytes} bytes in ${maxParts} parts at most: this part has ${bytes} bytes, and it takes ${Math.max(0, left)} more.`,
    { param: 'data' },
  );
}

/** Reads the parts of an upload by their ids. */
export async function partsOf({ key_id, entry }: StoredUpload): Promise<Map<string, StoredPart>> {
  const parts = new Map<string, StoredPart>();
  const stored = queryItems<StoredPart>({
    TableName: setting('FILES_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(entry, :upload)',
    ExpressionAttributeValues: { ':key': key_id, ':upload': `${entry}/` },
    ConsistentRead: true,
  });
  for await (const part of stored) parts.set(part.entry.slice(entry.length + 1), part);
  return parts;
}
