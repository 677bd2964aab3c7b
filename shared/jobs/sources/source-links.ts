import { hash } from 'node:crypto';
import { extractSha256 } from '../asked/extract-task.ts';
import type { Task } from '../asked/task.ts';
import type { Link } from '../engine/item/kind.ts';
import { copyOwnerOf, copyUseIdOf } from './kept-copies.ts';
import type { SourceJob } from './source-job.ts';

/** The items that a job's file has beside the job: what is known of it, its copy, the name of its result. */
export function sourceLinksOf(job: SourceJob): Link[] {
  const { job_id, known_id, copy_id, source_object, drive_file_id } = job;
  const links: Link[] = [];
  if (known_id) links.push({ job_id: known_id, attribute: 'source_job_id', value: job_id });
  if (copy_id && source_object) {
    links.push({ job_id: copy_id, attribute: 'copy.source_object', value: source_object });
    const use = copyUseIdOf(copyOwnerOf(source_object), job_id);
    links.push({ job_id: use, attribute: 'used_by', value: job_id });
  }
  if (drive_file_id) {
    const { job_id: id, question_sha256 } = nameClaimOf(job);
    links.push({ job_id: id, attribute: 'question_sha256', value: question_sha256 });
  }
  return links;
}

/** Returns the item that gives a source's plain name to the first question of a kind about it. */
export function nameClaimOf(job: Pick<SourceJob, 'drive_file_id'> & Task) {
  const { drive_file_id = '', pipeline_instruction = '', extract } = job;
  const question_sha256 = extract ? extractSha256(job) : hash('sha256', pipeline_instruction);
  return {
    job_id: `${extract ? 'extract' : 'answer'}_${hash('sha256', drive_file_id)}`,
    question_sha256,
  };
}
