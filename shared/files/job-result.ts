import { getItem } from '../aws/dynamodb.ts';
import { isGone } from '../aws/is-gone.ts';
import { setting } from '../config.ts';
import { inSeconds, type StoredFile } from './file.ts';
import { objectBytes, readObject } from './objects.ts';
import { jobIdOfResult } from './result-id.ts';

/** The attributes of an ended job that its result's file is made of. */
interface EndedJob {
  job_id: string;
  filename?: string;
  parent_job_id?: string;
  completed_at?: string;
  expires_at?: number;
  endpoint?: string;
  result_json?: string;
  result_object?: string;
  text_object?: string;
}

type Result =
  | { type: 'chat' | 'chat_batch'; content: string | null }
  | { type: 'ocr'; text: string | null }
  | { type: 'pipeline'; ocr: { text: string | null }; chat: { content: string | null } | null }
  | { type: 'folder' }
  | { type: 'extract' };

/** Finds the result of a key's job as a file. Undefined for a job without one, or that is erased with its parent. */
export async function findResult(keyId: string, id: string): Promise<StoredFile | undefined> {
  try {
    return await resultOf(keyId, id);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function resultOf(keyId: string, id: string): Promise<StoredFile | undefined> {
  const job = await findJob(keyId, jobIdOfResult(id));
  if (!job?.completed_at || !job.result_json || job.endpoint) return undefined;
  if (await hasLostParent(keyId, job)) return undefined;
  const file: Omit<StoredFile, 'bytes'> = {
    key_id: keyId,
    entry: id,
    status: 'ready',
    purpose: 'job_result',
    filename: `${job.filename ?? job.job_id}${suffixes[resultIn(job.result_json).type]}`,
    created_at: inSeconds(Date.parse(job.completed_at)),
    ...(job.expires_at !== undefined && { file_expires_at: job.expires_at }),
  };
  const { text, object } = await contentOf(job, job.result_json);
  if (text !== undefined) return { ...file, text, bytes: Buffer.byteLength(text) };
  if (object === undefined) return undefined;
  const bytes = await objectBytes(object, setting('OBJECTS_BUCKET'));
  return { ...file, text_object: object, bytes };
}

const findJob = (key_id: string, job_id: string) =>
  getItem<EndedJob>(setting('JOBS_TABLE'), { key_id, job_id });

/** A job that was made for another goes with it: that is erased first. */
async function hasLostParent(keyId: string, { parent_job_id }: EndedJob): Promise<boolean> {
  if (!parent_job_id) return false;
  const parent = await findJob(keyId, parent_job_id);
  return !parent || hasLostParent(keyId, parent);
}

/** The suffixes of results' names, as on the drive. */
const suffixes = {
  chat: '.result.md',
  pipeline: '.result.md',
  ocr: '.ocr.md',
  chat_batch: '.result.jsonl',
  folder: '.result.json',
  extract: '.extract.json',
} as const satisfies Record<Result['type'], string>;

const resultIn = (json: string) => JSON.parse(json) as Result;

/** Returns a result's text, or the object that holds it. A folder's is its figures; a pipeline's, the answer if there is one. */
async function contentOf(
  { result_object, text_object }: EndedJob,
  summary: string,
): Promise<{ text?: string; object?: string | undefined }> {
  const isWhole = resultIn(summary).type === 'pipeline' || !text_object;
  if (!isWhole) return { object: text_object };
  const json = result_object ? await readObject(result_object, setting('OBJECTS_BUCKET')) : summary;
  const result = resultIn(json);
  if (result.type === 'folder' || result.type === 'extract') return { text: json };
  if (result.type === 'ocr') return { text: result.text ?? '' };
  if (result.type !== 'pipeline') return { text: result.content ?? '' };
  if (result.chat) return { text: result.chat.content ?? '' };
  return text_object ? { object: text_object } : { text: result.ocr.text ?? '' };
}
