import { join } from 'node:path';
import type { ExtractSpec } from '../../../extract/asked/spec.ts';
import { type TableDocument, tableOf } from '../../../extract/tables/table.ts';
import { TextFile } from '../../../text-file.ts';
import type { ExtractResult } from '../../results/result.ts';
import type { SourceJob } from '../../sources/source-job.ts';

/** A document whose fields are there. */
export interface ExtractedDocument {
  /** The job that its pages are asked of. */
  job_id: string;
  job: Pick<SourceJob, 'filename' | 'drive_file_id'>;
  result: ExtractResult;
}

/** A table on disk. */
export interface TableFile {
  suffix: `.extract.${string}`;
  mimeType: string;
  path: string;
}

/** Writes tables of documents to a folder as CSV and JSON Lines: first one row per document, then the rows of arrays. */
export async function writeTables(
  spec: ExtractSpec,
  documents: AsyncIterable<ExtractedDocument>,
  folder: string,
): Promise<TableFile[]> {
  const tables = new Map<string, [csv: TextFile, jsonl: TextFile]>();
  try {
    for await (const { table, csv, jsonl } of tableOf(spec, described(documents))) {
      const files = tables.get(table) ?? newFiles(folder, tables.size);
      tables.set(table, files);
      await files[0].write(csv);
      await files[1].write(jsonl);
    }
  } finally {
    await Promise.all([...tables.values()].flat().map((file) => file[Symbol.asyncDispose]()));
  }
  return [...tables].flatMap(([table, [csv, jsonl]]): TableFile[] => {
    const within = table ? `${safeName(table)}.` : '';
    return [
      { suffix: `.extract.${within}csv`, mimeType: 'text/csv', path: csv.path },
      { suffix: `.extract.${within}jsonl`, mimeType: 'application/jsonl', path: jsonl.path },
    ];
  });
}

const newFiles = (folder: string, index: number): [TextFile, TextFile] => [
  new TextFile(join(folder, `${index}.csv`)),
  new TextFile(join(folder, `${index}.jsonl`)),
];

/** An array's pointer as a part of a file's name. */
const safeName = (pointer: string) =>
  pointer
    .slice(1)
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .slice(0, 40);

async function* described(
  documents: AsyncIterable<ExtractedDocument>,
): AsyncGenerator<TableDocument> {
  for await (const { job_id, job, result } of documents) {
    const drive_file_id = job.drive_file_id && encodeURIComponent(job.drive_file_id);
    yield {
      name: job.filename ?? '',
      data: result.data,
      evidence: result.evidence as unknown as TableDocument['evidence'],
      linkOf: (page) =>
        drive_file_id
          ? `https://drive.google.com/file/d/${drive_file_id}/view#page=${page}`
          : `/batch/jobs/${job_id}/pages/${page}`,
    };
  }
}
