import * as v from 'valibot';
import { findStoredFile, isVisible, noSuchFile, type StoredFile } from '../../files/file.ts';
import { readFile } from '../../files/read-file.ts';
import { Expiry } from '../../files/requests.ts';
import type { Caller } from '../../http/caller.ts';
import { ServiceError, valueError } from '../../http/errors.ts';
import { dictionary, orNull, stringUpTo } from '../../http/schema.ts';
import { limitsOf } from '../../keys/key-limits.ts';
import { Metadata, metadataOf } from '../../ledger/terms/metadata.ts';
import {
  batchVias,
  type EmbeddingModel,
  findEmbeddingModel,
  findModel,
  type Model,
  takingBatches,
} from '../../models/catalogue.ts';
import type { Job } from '../engine/item/job.ts';
import { newJob, priorityFor } from '../engine/item/new-job.ts';
import { tagJob } from '../engine/waiting/fair-tags.ts';
import { type Batch, noModelYet, toBatch } from '../kinds/batch/batch.ts';
import { type BatchJob, batchKind, newWindow } from '../kinds/batch/batch-job.ts';
import { lineEndpointNames } from '../kinds/requests/file-line.ts';
import { putNew } from './retry.ts';
import { makeOnce, type ReservedKey } from './submit.ts';

/** The metadata that batches read: about lines beyond the budget, where lines are asked, and lines that fail upstream. */
const options: Record<string, readonly string[]> = {
  on_budget: ['wait', 'fail'],
  via: batchVias,
  on_failure: ['report', 'here'],
};

/** The body of `POST /v1/batches`. @see https://platform.openai.com/docs/api-reference/batch/create */
export const BatchRequest = dictionary(
  v.object({
    input_file_id: v.pipe(stringUpTo(64), v.minLength(1)),
    endpoint: v.picklist(lineEndpointNames),
    completion_window: v.literal('24h'),
    metadata: orNull(Metadata),
    output_expires_after: orNull(dictionary(Expiry)),
  }),
);

export type BatchRequest = v.InferOutput<typeof BatchRequest>;

/** The default priority of any job. */
const priority = 10;

/** The most that a job may have: a batch has thousands of calls, each of which may meet what passes with time. */
const maxRetries = 10;

/** Accepts a batch: a job whose lines are read from a file of the key's. */
export async function createBatch(
  caller: Caller,
  request: BatchRequest,
  idempotencyKey: string | undefined,
): Promise<Batch> {
  for (const [name, choices] of Object.entries(options)) {
    const choice = request.metadata?.[name];
    if (choice === undefined || choices.includes(choice)) continue;
    const either = choices.map((each) => `'${each}'`).join(' or ');
    throw valueError(['body', 'metadata', name], `it should be ${either}`);
  }
  const { input_file_id } = request;
  const file = await findStoredFile(caller.keyId, input_file_id);
  // The result of a job is no file of requests.
  if (!file || !isVisible(file)) throw noSuchFile(input_file_id);
  if (file.purpose !== 'batch') throw notForBatches(file.purpose);
  const model = request.metadata?.['via'] === 'upstream' && (await firstModelIn(file));
  if (model && !takingBatches(model)) throw noUpstreamBatches(model);
  const make = (key: ReservedKey) => createJob(key, request, file.filename, caller);
  return toBatch((await makeOnce(caller, request, idempotencyKey, make)) as BatchJob);
}

async function createJob(
  { key_id, job_id, submission_id }: ReservedKey,
  request: BatchRequest,
  filename: string,
  caller: Caller,
): Promise<Job> {
  const { input_file_id: file_id, endpoint, metadata, output_expires_after } = request;
  const limits = limitsOf(caller);
  const job = newJob(batchKind, {
    key_id,
    job_id,
    job_type: 'chat',
    input_type: 'file',
    model: noModelYet,
    file_id,
    filename,
    endpoint,
    max_retries: maxRetries,
    ...priorityFor(priority, limits),
    ...newWindow(),
    ...(output_expires_after && { output_expires_after: output_expires_after.seconds }),
    ...(submission_id && { submission_id }),
    ...metadataOf(metadata),
  });
  return putNew(await tagJob(job, limits));
}

/** More than most lines have before they name their model. */
const firstBytes = 256 * 1024;

/** The model that the first line of a file names; undefined if that isn't found in its beginning. */
async function firstModelIn(file: StoredFile): Promise<Model | EmbeddingModel | undefined> {
  const to = Math.min(file.bytes, firstBytes);
  const text = Buffer.concat(await Array.fromAsync(readFile(file, { to }))).toString();
  const [, name] = text.match(/"model"\s*:\s*"([^"\\]+)"/) ?? [];
  const found = name !== undefined && (findModel(name) ?? findEmbeddingModel(name));
  return found || undefined;
}

const noUpstreamBatches = ({ id }: { id: string }) =>
  new ServiceError(400, 'invalid_value', `metadata.via: no upstream of ${id} takes batches.`, {
    param: 'metadata.via',
  });

const notForBatches = (purpose: string) =>
  new ServiceError(
    400,
    'invalid_file_purpose',
    `The file was uploaded with the purpose ${purpose}; that of a batch's requests is batch.`,
    { param: 'input_file_id' },
  );
