import { v7 as uuidv7 } from 'uuid';
import * as v from 'valibot';
import { getItem } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';

/** What a caller may say that a file is for. */
export const givenPurposes = [
  'assistants',
  'batch',
  'fine-tune',
  'vision',
  'user_data',
  'evals',
] as const;

/** What a file may be for: results are made by the service alone. */
export const Purpose = v.picklist([...givenPurposes, 'batch_output', 'job_result']);
export type Purpose = v.InferOutput<typeof Purpose>;

/** The key of an item in the table of files. */
export interface FileKey {
  key_id: string;
  /** The id of a file or an upload; a part's id follows its upload's. */
  entry: string;
}

/** The attributes that the sweep and the erasure of an item's objects need. */
export interface Kept extends FileKey {
  /** The folder of its objects within the key's; its own id if absent. */
  folder?: string;
  /** In the sweep's index, while something is to be done about it at `due_at`. */
  lane?: typeof sweepLane;
  due_at?: string;
  /** When its objects were erased for the first time. */
  erased_at?: string;
  /** When the table forgets the item, in seconds. No item that still counts or has objects has it. */
  expires_at?: number;
}

/** The lane in which the sweep finds what is due. */
export const sweepLane = 'files';

/** A file as the table has it. */
export interface StoredFile extends Kept {
  /** Callers see it once it is `ready`, and no more when it is `deleted`. */
  status: 'uploading' | 'ready' | 'deleted';
  filename: string;
  purpose: Purpose;
  bytes: number;
  /** In seconds, as all times of the protocol. */
  created_at: number;
  /** When callers see it no more, in seconds; never if absent. */
  file_expires_at?: number;
  /** The object that has its bytes, within its folder. */
  object?: string;
  /** Or the object that lists the parts that have them. */
  manifest?: string;
  /** The text of a job's result, which no table of files has, or its object in the jobs' bucket. */
  text?: string;
  text_object?: string;
}

/** Makes the id of a file: those made later sort behind. */
export const newFileId = () => `file-${uuidv7().replaceAll('-', '')}`;

export const fileIdPattern = /^file-[0-9a-f]{32}$/;

export const inSeconds = (ms: number) => Math.floor(ms / 1000);

export const instant = (ms: number) => new Date(ms).toISOString();

/** Finds a file of a key in any status. */
export async function findStoredFile(keyId: string, id: string): Promise<StoredFile | undefined> {
  if (!fileIdPattern.test(id)) return undefined;
  return getItem<StoredFile>(setting('FILES_TABLE'), { key_id: keyId, entry: id });
}

export const noSuchFile = (id: string) =>
  new ServiceError(404, 'not_found', `No such File object: ${id}`, { param: 'id' });

/** Whether callers see a file. */
export const isVisible = ({ status, file_expires_at }: StoredFile) =>
  status === 'ready' && (file_expires_at ?? Number.POSITIVE_INFINITY) > inSeconds(Date.now());

const Seconds = v.pipe(v.number(), v.integer());

/** A file as callers see it. */
export const FileObject = v.object({
  id: v.string(),
  object: v.literal('file'),
  bytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
  created_at: Seconds,
  expires_at: v.nullable(Seconds),
  filename: v.string(),
  purpose: Purpose,
  status: v.literal('processed'),
  status_details: v.null(),
});
export type FileObject = v.InferOutput<typeof FileObject>;

/** Writes a file as callers see it. Python's client waits for the `status`, which the protocol has given up. */
export const toFileObject = (file: StoredFile): FileObject => ({
  id: file.entry,
  object: 'file',
  bytes: file.bytes,
  created_at: file.created_at,
  expires_at: file.file_expires_at ?? null,
  filename: file.filename,
  purpose: file.purpose,
  status: 'processed',
  status_details: null,
});

const daySeconds = 86_400;

/** Files of batches go after 30 days unless something else is asked for; others stay. */
export const lifetimeOf = (purpose: Purpose, askedSeconds?: number) =>
  askedSeconds ?? (purpose.startsWith('batch') ? 30 * daySeconds : undefined);
