import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { putItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { markSource, reserveFileId, writeResult } from '../../drive/result.ts';
import { ServiceError } from '../../http/errors.ts';
import { type Extracting, extractSha256 } from '../asked/extract-task.ts';
import { type Claimed, retentionEnd } from '../engine/item/job.ts';
import { saveProgress } from '../engine/item/state.ts';
import { isLast, jobErrorText } from '../engine/run/failure.ts';
import type { SourceJob } from './source-job.ts';

/** A result to write to the drive: a text, or a file on disk. */
export interface Deliverable {
  suffix: '.ocr.md' | '.result.md' | '.result.jsonl' | `.extract.${string}`;
  mimeType: string;
  text?: string;
  path?: string;
}

/** What a job's record says of its result on the drive: its id, or why the drive refused it; neither without a source. */
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
    const ids = await reserveTables(job, tables);
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

async function reserveTables(
  job: Claimed<SourceJob>,
  tables: readonly Deliverable[],
): Promise<Record<string, string>> {
  const { table_file_ids: ids = {} } = job;
  const missing = tables.filter(({ suffix }) => !ids[suffix]);
  if (missing.length === 0) return ids;
  const table_file_ids = { ...ids };
  for (const { suffix } of missing) table_file_ids[suffix] = await reserveFileId();
  await saveProgress(job, { table_file_ids });
  return table_file_ids;
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

type Named = Pick<SourceJob, 'key_id' | 'drive_file_id' | 'filename' | 'pipeline_instruction'> &
  Extracting;

/** What is asked of a source, of which each first question has the plain name. */
interface NamedQuestion {
  kind: 'answer' | 'extract';
  words: string;
  hash: string;
}

/** Returns a result's name: its source's with `suffix`. A further question has its words and hash before that. */
async function resultName(job: Named, suffix: string): Promise<string> {
  const { filename = 'document' } = job;
  const question = questionOf(job, suffix);
  const isFirst = !question || (await claimName(job, question));
  const end = isFirst ? suffix : `.${slugOf(question)}${suffix}`;
  return withSuffix(filename, end);
}

/** Returns a name with a suffix, cut to what a file system takes. */
export const withSuffix = (name: string, suffix: string) =>
  `${cut(name, maxNameBytes - Buffer.byteLength(suffix))}${suffix}`;

function questionOf(job: Named, suffix: string): NamedQuestion | undefined {
  const { pipeline_instruction: words = '', extract, extract_schema = '' } = job;
  if (suffix === '.result.md') return { kind: 'answer', words, hash: sha256(words) };
  if (!extract) return undefined;
  const { properties = {} } = JSON.parse(extract_schema) as { properties?: object };
  return { kind: 'extract', words: Object.keys(properties).join(' '), hash: extractSha256(job) };
}

/** Whether a source's plain name is this question's. The first to ask has it, for as long as jobs are kept. */
async function claimName(
  { key_id, drive_file_id = '' }: Named,
  { kind, hash: question_sha256 }: NamedQuestion,
): Promise<boolean> {
  const claimed = await putItem({
    TableName: setting('JOBS_TABLE'),
    Item: {
      key_id,
      job_id: `${kind}_${sha256(drive_file_id)}`,
      question_sha256,
      expires_at: retentionEnd(),
    },
    ConditionExpression: 'attribute_not_exists(job_id) OR question_sha256 = :question',
    ExpressionAttributeValues: { ':question': question_sha256 },
  });
  return claimed !== undefined;
}

/** Returns a question's first words in letters, digits and hyphens, of any script, and the start of its hash. */
function slugOf({ words: question, hash }: NamedQuestion): string {
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

function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
