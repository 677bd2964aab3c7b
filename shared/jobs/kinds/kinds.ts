import type { Job } from '../engine/item/job.ts';
import type { Kind } from '../engine/item/kind.ts';
import type { Progress } from '../engine/item/status.ts';
import { answerKind } from './answer/answer-job.ts';
import { batchKind } from './batch/batch-job.ts';
import { chatKind } from './chat/chat-job.ts';
import { documentKind } from './document/document-job.ts';
import { extractionKind } from './extraction/extraction-job.ts';
import { folderKind } from './folder/folder-job.ts';
import { sectionKind } from './section/section-job.ts';

/** Every kind of job. */
export const kinds = {
  chat: chatKind,
  batch: batchKind,
  answer: answerKind,
  extraction: extractionKind,
  document: documentKind,
  section: sectionKind,
  folder: folderKind,
};

export type KindName = keyof typeof kinds;
/** A job of a kind, and of any. */
export type JobOf<Name extends KindName> = NonNullable<(typeof kinds)[Name]['job']>;
export type AnyJob = { [Name in KindName]: JobOf<Name> }[KindName];

/** Returns a job as one of its kind. */
export const asJob = (item: Job) => item as AnyJob;

/** Returns the kind of a job. */
export const kindOf = ({ kind }: Job): Kind => kinds[kind as KindName];

/** Reads the jobs that were made for a job. */
export async function* childrenOf(parent: Job): AsyncGenerator<Job> {
  yield* kindOf(parent).childrenOf?.(asJob(parent)) ?? [];
}

/** Returns how far a job has come; undefined if nobody knows. */
export function progressNoted(job: Job): Progress | undefined {
  const { progressOf } = kindOf(job);
  return progressOf ? progressOf(asJob(job)) : job.progress;
}
