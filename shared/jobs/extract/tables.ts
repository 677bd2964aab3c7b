import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { ExtractSpec } from '../../extract/schema.ts';
import { csvLine, type TableDocument, tablesOf } from '../../extract/table.ts';
import type { Job } from '../job.ts';
import type { ExtractResult } from '../result.ts';

/** A document whose fields are there. */
export interface ExtractedDocument {
  job: Pick<Job, 'job_id' | 'parent_job_id' | 'document_object' | 'filename' | 'drive_file_id'>;
  result: ExtractResult;
}

/** A table on disk. */
export interface TableFile {
  suffix: `.extract.${string}`;
  mimeType: string;
  path: string;
}

/** Writes tables of documents to a folder: that of one row each first, then the same as JSON Lines, then those of lists. */
export async function writeTables(
  spec: ExtractSpec,
  documents: AsyncIterable<ExtractedDocument>,
  folder: string,
): Promise<TableFile[]> {
  const tables = tablesOf(spec).map((table, index) => ({
    ...table,
    file: new TextFile(join(folder, `${index}.csv`)),
    suffix: (table.name ? `.extract.${safeName(table.name)}.csv` : '.extract.csv') as Suffix,
  }));
  const lines = new TextFile(join(folder, 'all.jsonl'));
  const open = [lines, ...tables.map(({ file }) => file)];
  try {
    for (const { file, head } of tables) await file.write(csvLine(head));
    for await (const extracted of documents) {
      const document = documentOf(extracted);
      for (const { file, rowsOf } of tables) {
        for (const row of rowsOf(document)) await file.write(csvLine(row));
      }
      await lines.write(`${JSON.stringify(lineOf(document))}\n`);
    }
  } finally {
    await Promise.all(open.map((file) => file.end()));
  }
  const [main, ...lists] = tables.map(({ suffix, file }) => ({
    ...{ suffix, mimeType: 'text/csv', path: file.path },
  }));
  const all = {
    suffix: '.extract.jsonl',
    mimeType: 'application/jsonl',
    path: lines.path,
  } as const;
  return [...(main ? [main] : []), all, ...lists];
}

type Suffix = TableFile['suffix'];

const safeName = (name: string) => name.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 40);

function documentOf({ job, result }: ExtractedDocument): TableDocument {
  // The step answers for the job that was submitted.
  const job_id = (job.document_object && job.parent_job_id) || job.job_id;
  return {
    name: job.filename ?? '',
    job_id,
    data: result.data,
    evidence: result.evidence,
    linkTo: (page) =>
      job.drive_file_id
        ? `https://drive.google.com/file/d/${encodeURIComponent(job.drive_file_id)}/view#page=${page}`
        : `/batch/jobs/${job_id}/pages/${page}`,
  };
}

const lineOf = ({ name, job_id, data, evidence, linkTo }: TableDocument) => ({
  ...{ document: name, job_id, data },
  pages: Object.fromEntries(
    evidence.flatMap(({ path, page }) => (page === null ? [] : [[path, linkTo(page)]])),
  ),
});

/** A text on disk that is written no faster than the disk takes it. */
class TextFile {
  readonly path: string;
  private readonly stream;
  private readonly whole: Promise<void>;

  constructor(path: string) {
    this.path = path;
    this.stream = createWriteStream(path);
    this.whole = finished(this.stream);
    // Whoever ends it is told what went wrong.
    this.whole.catch(() => {});
  }

  async write(text: string): Promise<void> {
    if (!this.stream.write(text)) await once(this.stream, 'drain');
  }

  async end(): Promise<void> {
    this.stream.end();
    await this.whole;
  }
}
