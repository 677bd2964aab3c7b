import type { WithMessages } from '../../asked/messages.ts';
import { askedOf, modelsOf } from '../../asked/task.ts';
import { madeFor } from '../../engine/children/children.ts';
import { findJob, isPart, type Job, partsPrefixOf } from '../../engine/item/job.ts';
import type { Kind } from '../../engine/item/kind.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { sourceLinksOf } from '../../sources/source-links.ts';

interface AnyDocument extends SourceJob, WithMessages {
  kind: 'document';
  page_count?: number;
  /** How many of them the sections that have ended read, and could not read. */
  pages_done?: number;
  pages_failed?: number;
  /** The job of the step after the reading. */
  chat_job_id?: string;
}

/** A document that is to be read, or is being read by one worker. */
export type UnsplitDocument = AnyDocument & { phase: 'reading' };
/** A document that is read in sections. */
export type SplitDocument = AnyDocument & { phase: 'sections'; page_count: number };
/** A document that was read, and that another job chats about or takes fields from. */
export type ReadDocument = AnyDocument & { phase: 'step'; chat_job_id: string };

/** A job that reads a document: then its text is the result, or what a step after the reading makes of it. */
export type DocumentJob = UnsplitDocument | SplitDocument | ReadDocument;

export const documentKind = {
  name: 'document',
  job: undefined as DocumentJob | undefined,
  firstPhase: 'reading',
  queue: 'ocr',
  modelsOf: (job) => modelsOf(askedOf(job)),
  childrenOf,
  tallyOf: (_, ended) => {
    const sections = ended.filter(isPart);
    const sum = (of: (job: Job) => number | undefined) =>
      sections.reduce((total, job) => total + (of(job) ?? 0), 0);
    return sections.length === 0
      ? {}
      : {
          add: {
            pages_done: sum(({ progress }) => progress?.done),
            pages_failed: sum(({ progress }) => progress?.failed),
          },
        };
  },
  progressOf: ({ page_count, pages_done = 0, pages_failed = 0, progress }) =>
    page_count
      ? { done: pages_done, total: page_count, failed: pages_failed, unit: 'pages' }
      : progress,
  traces: ['chat_job_id'],
  linksOf: sourceLinksOf,
} as const satisfies Kind<DocumentJob>;

async function* childrenOf(job: DocumentJob): AsyncGenerator<Job> {
  yield* madeFor(job, partsPrefixOf(job.job_id));
  if (job.phase !== 'step') return;
  const step = await findJob({ key_id: job.key_id, job_id: job.chat_job_id });
  if (step) yield step;
}
