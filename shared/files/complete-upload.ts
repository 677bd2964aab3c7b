import { createHash } from 'node:crypto';
import { expressUpdate } from '../aws/express-update.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';
import { inSeconds, instant, newFileId, type StoredFile, sweepLane } from './file.ts';
import { deleteObjects, objectIn, putObject } from './objects.ts';
import { type Manifest, readFile } from './read-file.ts';
import { isPending, knownSeconds, notPending, requireUpload, type StoredUpload } from './upload.ts';
import { partsOf } from './upload-part.ts';

/** What a completion asks for: the parts in the order of the file, and the MD5 that they are to have together. */
export interface Completion {
  part_ids: string[];
  md5?: string | undefined;
}

/**
 * Makes a file of an upload: its parts stay, a manifest orders them. One transaction ends the upload and makes the
 * file, once.
 */
export async function completeUpload(
  keyId: string,
  uploadId: string,
  { part_ids, md5 }: Completion,
): Promise<StoredUpload> {
  const upload = await requireUpload(keyId, uploadId);
  const completion = createHash('sha256').update(part_ids.join()).digest('hex');
  if (upload.completion === completion) return upload;
  if (!isPending(upload)) throw notPending(upload);
  const parts = await partsOf(upload);
  const manifest = manifestOf(upload, part_ids, parts);
  const file = fileOf(upload, `manifest-${completion}.json`);
  await putObject(objectIn(file, file.manifest ?? ''), JSON.stringify(manifest));
  if (md5 !== undefined) await checkMd5(file, md5);
  const failed = await writeTransaction([
    { Put: { TableName: setting('FILES_TABLE'), Item: file } },
    completing(upload, file.entry, completion),
  ]);
  const ended = await requireUpload(keyId, uploadId);
  if (failed && ended.completion !== completion) throw notPending(ended);
  const used = new Set(part_ids);
  const unused = [...parts.keys()].filter((id) => !used.has(id));
  await deleteObjects(unused.map((id) => objectIn(upload, id)));
  return ended;
}

/** Lists the parts in their order. Throws a 400 for one that there isn't, or if they don't come to the upload's bytes. */
function manifestOf(
  upload: StoredUpload,
  ids: string[],
  parts: ReadonlyMap<string, { bytes: number }>,
): Manifest {
  if (new Set(ids).size < ids.length) throw wrongParts('A part stands twice in part_ids.');
  const manifest = ids.map((id): Manifest[number] => {
    const part = parts.get(id);
    if (!part) throw wrongParts(`Upload ${upload.entry} has no part ${id}.`);
    return [id, part.bytes];
  });
  const sum = manifest.reduce((total, [, bytes]) => total + bytes, 0);
  if (sum !== upload.bytes) {
    throw wrongParts(
      `The parts have ${sum} bytes together, and upload ${upload.entry} was to have ${upload.bytes}.`,
    );
  }
  return manifest;
}

const wrongParts = (message: string) =>
  new ServiceError(400, 'invalid_part_ids', message, { param: 'part_ids' });

function fileOf(upload: StoredUpload, manifest: string): StoredFile {
  const { key_id, entry, filename, purpose, bytes, lifetime } = upload;
  const created_at = inSeconds(Date.now());
  return {
    key_id,
    entry: newFileId(),
    folder: entry,
    status: 'ready',
    filename,
    purpose,
    bytes,
    created_at,
    manifest,
    ...(lifetime !== undefined && {
      file_expires_at: created_at + lifetime,
      lane: sweepLane,
      due_at: instant((created_at + lifetime) * 1000),
    }),
  };
}

async function checkMd5(file: StoredFile, wanted: string): Promise<void> {
  const hash = createHash('md5');
  for await (const piece of readFile(file)) hash.update(piece);
  if (hash.digest('hex') === wanted.toLowerCase()) return;
  throw new ServiceError(400, 'md5_mismatch', 'The parts have another MD5 than md5 says.', {
    param: 'md5',
  });
}

/** The write that ends an upload as its file begins. It has been counted already, as the file is. */
const completing = (
  { key_id, entry }: StoredUpload,
  fileId: string,
  completion: string,
): TransactWriteItem => ({
  Update: expressUpdate(setting('FILES_TABLE'), { key_id, entry }, (value, name) => ({
    when: [`${name('status')} = ${value('pending')}`],
    set: [
      `${name('status')} = ${value('completed')}`,
      `file_id = ${value(fileId)}`,
      `completion = ${value(completion)}`,
      `expires_at = ${value(inSeconds(Date.now()) + knownSeconds)}`,
    ],
    remove: ['lane', 'due_at'],
  })),
});
