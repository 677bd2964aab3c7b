import { createHash } from 'node:crypto';
import { extractSha256 } from '../asked/extract-task.ts';
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
    const [kind, value] = job.extract
      ? ['extract', extractSha256(job)]
      : ['answer', sha256(job.pipeline_instruction ?? '')];
    const id = `${kind}_${sha256(drive_file_id)}`;
    links.push({ job_id: id, attribute: 'question_sha256', value });
  }
  return links;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
