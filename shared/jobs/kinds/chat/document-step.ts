import { chatModelOf } from '../../asked/task.ts';
import { createChildren } from '../../engine/children/children.ts';
import { type Claimed, childIdOf, findJob, type Job, type JobKey } from '../../engine/item/job.ts';
import { suspendJob } from '../../engine/item/job-wait.ts';
import type { Kind } from '../../engine/item/kind.ts';
import { attributesOf, newJob } from '../../engine/item/new-job.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { findKeyOf } from '../../engine/run/watch.ts';
import { tagJob } from '../../engine/waiting/fair-tags.ts';
import type { Delivery } from '../../sources/delivery.ts';
import type { SourceJob } from '../../sources/source-job.ts';

/** What is done with a document that was read, in a job of its own. */
export interface DocumentStep {
  kind: Kind;
  /** What its job's id is made of. */
  name: 'chat' | 'extract';
  takes: readonly ('pipeline_instruction' | 'extract' | 'extract_schema')[];
  /** Puts what it works on into object storage. Returns the object. */
  put(key: JobKey): Promise<string>;
}

/** Makes the job of a step after a reading, in the queue of chats. The job that has read waits for it. */
export async function startDocumentStep(
  job: Claimed<SourceJob>,
  asked: DocumentStep,
): Promise<RunEnd> {
  const job_id = childIdOf(job.job_id, asked.name);
  const document_object = await asked.put({ key_id: job.key_id, job_id });
  const { weight = 1 } = (await findKeyOf(job)) ?? {};
  // The step is work of another queue, and takes its tag there as a submission does.
  const step = await tagJob(newStep(job, asked, job_id, document_object), { weight });
  await createChildren(job, [{ job: step }], { phase: 'step', chat_job_id: job_id });
  return () => suspendJob(job);
}

function newStep(
  job: SourceJob,
  { kind, takes }: DocumentStep,
  job_id: string,
  document_object: string,
): Job {
  return newJob(kind, {
    ...attributesOf(job, [
      'key_id',
      'input_type',
      'priority',
      'max_retries',
      'filename',
      'drive_file_id',
      'file_id',
      'drive_folder_id',
      'metadata',
      ...takes,
    ]),
    job_id,
    job_type: 'chat',
    model: chatModelOf({ job_type: job.job_type, model: job.asked_model ?? null }),
    parent_job_id: job.job_id,
    document_object,
  });
}

/** A job that has a step after its reading. */
export type StepsParent = Claimed<SourceJob> & { chat_job_id: string };

/** Reads the job of the step after a reading. */
export const stepOf = ({ key_id, chat_job_id }: StepsParent) =>
  findJob<SourceJob>({ key_id, job_id: chat_job_id });

/** Why a step came to nothing. */
export const failureOf = (step: Job | undefined) =>
  step?.error ?? `its job was ${step?.status ?? 'forgotten'}`;

/** What a job's record takes over from its step: where its result is on the drive, or why it isn't. */
export const deliveryOf = (step: SourceJob): Delivery =>
  attributesOf(step, ['error', 'drive_result_file_id']);
