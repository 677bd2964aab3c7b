import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FolderResult, OcrResult } from '../../../shared/jobs/results/result.ts';
import { ask, type EndedJob, respond, type Service } from '../service.ts';
import { dollars, printable } from '../text.ts';

/** Describes a job's end in a line, with its warnings. */
export function endedText({ filename, status, error, result, id }: EndedJob, name: string): string {
  const cost = typeof result?.['cost_usd'] === 'number' ? `, ${dollars(result['cost_usd'])}` : '';
  const why = error === null ? '' : `: ${printable(error)}`;
  const { warnings = [] } = (result?.['ocr'] ?? result ?? {}) as Pick<OcrResult, 'warnings'>;
  return [
    `${printable(filename ?? name)}: ${status}${cost}${why} (${id})`,
    ...warnings.map(({ message, pages }) => `  ${message} Page ${pages.join(', ')}.`),
  ].join('\n');
}

/** The result of a job as people read it: its text, its fields, or its figures. Undefined if it has none. */
export async function resultText(service: Service, job: EndedJob): Promise<string | undefined> {
  const { result, result_file_id } = job;
  if (!result || !result_file_id) return undefined;
  if (result['type'] === 'folder') return folderText(result as unknown as FolderResult);
  const response = await respond(service, 'GET', `/v1/files/${result_file_id}/content`);
  if (result['type'] !== 'extract') return response.text();
  return JSON.stringify(((await response.json()) as { data: object }).data, null, 2);
}

/** Tells how a folder's files ended. Their results lie on the drive. */
function folderText({ files, failed_files, left_out }: FolderResult): string {
  const before = files.skipped > 0 ? `, and ${files.skipped} were done before` : '';
  const others = left_out.filter(({ reason }) => reason !== 'already_submitted');
  return [
    `${files.done} of ${files.found} files are done${before}: each result lies beside its document on the drive.`,
    ...failed_files.map(({ filename, error }) => `${filename}: ${error}`),
    ...others.map(
      ({ filename, reason }) => `${filename}: left out, ${reason.replaceAll('_', ' ')}`,
    ),
  ]
    .map(printable)
    .join('\n');
}

/** A folder that results are written into, each under a name of its own. */
export class ResultFolder {
  private readonly taken = new Set<string>();
  private readonly folder: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
  }

  /** Writes a job's result. Returns the path of the file; undefined if there is no result. */
  async write(service: Service, { result_file_id }: EndedJob): Promise<string | undefined> {
    if (!result_file_id) return undefined;
    const route = `/v1/files/${result_file_id}`;
    const { filename } = await ask<{ filename: string }>(service, 'GET', route);
    const response = await respond(service, 'GET', `${route}/content`);
    const path = join(this.folder, this.freeName(basename(filename)));
    await writeFile(path, response.body ?? '');
    return path;
  }

  private freeName(name: string): string {
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${number}-${name}`;
      if (this.taken.has(free)) continue;
      this.taken.add(free);
      return free;
    }
  }
}
