import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { putItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { markSource, reserveFileId, writeResult } from '../../drive/result.ts';
import { ServiceError } from '../../http/errors.ts';
import type { Task } from '../asked/task.ts';
import { type Claimed, retentionEnd } from '../engine/item/job.ts';
import { saveProgress } from '../engine/item/job-lease.ts';
import { isLast, jobErrorText } from '../engine/run/failure.ts';
import type { SourceJob } from './source-job.ts';
import { nameClaimOf } from './source-links.ts';

/** A result to write to the drive: a text, or a file on disk. */
export interface Deliverable {
  suffix: '.ocr.md' | '.result.md' | '.result.jsonl' | `.extract.${string}`;
  mimeType: string;
  text?: string;
  path?: string;
}

/** A job's result on the drive: its file's id, or the reason for a refusal; neither for a job without a file. */
export type Delivery = Pick<SourceJob, 'drive_result_file_id' | 'error'>;

/**
 * Writes a job's result, and `tables`, beside its source under reserved ids, so that a second try writes the same
 * files. If the drive refuses it for good, or on the last try, the job keeps it.
 */
export async function deliver(
  job: Claimed<SourceJob>,
  content: Deliverable,
  tables: readonly Deliverable[] = [],
): Promise<Delivery> {
  const { drive_file_id: sourceId, drive_folder_id: folderId } = job;
  if (!sourceId || !folderId) return {};
  try {
    const id = await reserve(job);
    const keep = (table_file_ids: FileIds) => saveProgress(job, { table_file_ids });
    const ids = await reserveTables(job, tables, keep);
    for (const [index, each] of [content, ...tables].entries()) {
      const { suffix, mimeType } = each;
      const name = await resultName(job, suffix);
      const own = index === 0 ? id : (ids[suffix] ?? id);
      await writeResult({ id: own, folderId, name, mimeType, sourceId }, bodyOf(each));
    }
    await saveProgress(job, { drive_result_file_id: id });
    await markSource(sourceId, { quireJob: job.job_id, quireResult: id });
    return { drive_result_file_id: id };
  } catch (error) {
    if (!(error instanceof ServiceError) || !isLast(job, error)) throw error;
    return { error: jobErrorText(error) };
  }
}

async function reserve(job: Claimed<SourceJob>): Promise<string> {
  if (job.reserved_file_id) return job.reserved_file_id;
  const reserved_file_id = await reserveFileId();
  await saveProgress(job, { reserved_file_id });
  return reserved_file_id;
}

type FileIds = NonNullable<SourceJob['table_file_ids']>;

/** Returns the ids of tables by their suffixes, which `keep` writes down before a file is written under one. */
export async function reserveTables(
  { table_file_ids = {} }: SourceJob,
  tables: readonly Pick<Deliverable, 'suffix'>[],
  keep: (table_file_ids: FileIds) => Promise<unknown>,
): Promise<FileIds> {
  const missing = tables.filter(({ suffix }) => !table_file_ids[suffix]);
  if (missing.length === 0) return table_file_ids;
  const ids = { ...table_file_ids };
  for (const { suffix } of missing) ids[suffix] = await reserveFileId();
  await keep(ids);
  return ids;
}

/** Returns a text, or a file on disk, as an upload takes it. */
export function bodyOf({ text = '', path }: Pick<Deliverable, 'text' | 'path'>) {
  return path
    ? { body: () => createReadStream(path), bytes: statSync(path).size }
    : { body: () => Readable.from([Buffer.from(text)]), bytes: Buffer.byteLength(text) };
}

/** The longest name that a file system takes, less what the local drive may add to make it unique. */
const maxNameBytes = 240;
const maxSlugBytes = 48;

type NamedJob = Pick<SourceJob, 'key_id' | 'drive_file_id' | 'filename'> & Task;

/** Returns a result's name: its source's with `suffix`. A further question has its words and hash before that. */
async function resultName(job: NamedJob, suffix: string): Promise<string> {
  const { filename = 'document' } = job;
  const isAnswer = suffix === '.result.md' || job.extract !== undefined;
  const slug = isAnswer && (await slugUnlessFirst(job));
  return withSuffix(filename, slug ? `.${slug}${suffix}` : suffix);
}

/** Returns a name with a suffix, cut to what a file system takes. */
export const withSuffix = (name: string, suffix: string) =>
  `${cut(name, maxNameBytes - Buffer.byteLength(suffix))}${suffix}`;

/** Returns a question's own part of a name. The first about a source has none, for as long as jobs are kept. */
async function slugUnlessFirst(job: NamedJob): Promise<string | undefined> {
  const claim = nameClaimOf(job);
  const claimed = await putItem({
    TableName: setting('JOBS_TABLE'),
    Item: { key_id: job.key_id, ...claim, expires_at: retentionEnd() },
    ConditionExpression: 'attribute_not_exists(job_id) OR question_sha256 = :question',
    ExpressionAttributeValues: { ':question': claim.question_sha256 },
  });
  if (claimed) return undefined;
  const { pipeline_instruction = '', extract, extract_schema = '' } = job;
  if (!extract) return slugOf(pipeline_instruction, claim.question_sha256);
  const { properties = {} } = JSON.parse(extract_schema) as { properties?: object };
  return slugOf(Object.keys(properties).join(' '), claim.question_sha256);
}

/** Returns a question's first words in letters, digits and hyphens, of any script, and the start of its hash. */
function slugOf(question: string, hash: string): string {
  const words =
    question
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let slug = cut(words[0] ?? '', maxSlugBytes);
  for (const word of words.slice(1)) {
    if (Buffer.byteLength(`${slug}-${word}`) > maxSlugBytes) break;
    slug += `-${word}`;
  }
  return [slug, hash.slice(0, 6)].filter(Boolean).join('-');
}

/** The characters of a text that fit the bytes. */
const cut = (text: string, maxBytes: number) =>
  text.slice(0, new TextEncoder().encodeInto(text, Buffer.alloc(maxBytes)).read);
