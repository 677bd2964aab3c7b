import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExtractSpec } from '../../extract/schema.ts';
import type { Job } from '../job.ts';
import type { ExtractResult } from '../result.ts';

/** A document whose fields are there. */
export interface TableDocument {
  job: Pick<Job, 'job_id' | 'filename' | 'drive_file_id'>;
  result: ExtractResult;
}

/** A table on disk. */
export interface TableFile {
  suffix: `.extract.${string}`;
  mimeType: string;
  path: string;
}

/** Writes tables of documents, one row each; the main one first. */
export async function writeTables(
  spec: ExtractSpec,
  documents: AsyncIterable<TableDocument>,
  folder: string,
): Promise<TableFile[]> {
  const names = Object.keys((spec.schema as { properties?: object }).properties ?? {});
  const lines: string[] = [['document', ...names].join(',')];
  const objects: string[] = [];
  for await (const { job, result } of documents) {
    const data = (result.data ?? {}) as Record<string, unknown>;
    lines.push(
      [job.filename, ...names.map((name) => data[name])]
        .map((x) => JSON.stringify(x ?? ''))
        .join(','),
    );
    objects.push(JSON.stringify({ document: job.filename, ...data }));
  }
  const files: TableFile[] = [
    { suffix: '.extract.csv', mimeType: 'text/csv', path: join(folder, 'main.csv') },
    { suffix: '.extract.jsonl', mimeType: 'application/jsonl', path: join(folder, 'main.jsonl') },
  ];
  await writeFile(join(folder, 'main.csv'), `${lines.join('\r\n')}\r\n`);
  await writeFile(join(folder, 'main.jsonl'), objects.map((each) => `${each}\n`).join(''));
  return files;
}
