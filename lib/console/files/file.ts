import type { FileObject } from '../../../shared/files/file.ts';
import { call, get, request } from '../api/call.ts';
import { moment } from '../parts/format.ts';
import { save } from '../parts/save.ts';

export type { FileObject };

/** The most files that one request lists. */
const pageFiles = 50;

/** The path of the route to a file. */
const pathOf = (id: string) => `/v1/files/${encodeURIComponent(id)}`;

/** Reads what a file is. Throws the 404 for one that is gone. */
export const readFile = (id: string, signal?: AbortSignal) => get<FileObject>(pathOf(id), signal);

/** Lists the first pages of the key's files, the newest first. */
export async function listFiles(pages: number, signal?: AbortSignal) {
  const files: FileObject[] = [];
  let hasMore = true;
  for (let page = 0; page < pages && hasMore; page++) {
    const last = files.at(-1)?.id;
    const query = new URLSearchParams({ limit: `${pageFiles}`, ...(last && { after: last }) });
    const path = `/v1/files?${query}`;
    const list = await get<{ data: FileObject[]; has_more: boolean }>(path, signal);
    files.push(...list.data);
    hasMore = list.has_more;
  }
  return { files, hasMore };
}

export const deleteFile = (id: string) => call('DELETE', pathOf(id));

/** Has the browser save a file. */
export async function saveFile({ id, filename }: FileObject): Promise<void> {
  save(await (await request('GET', `${pathOf(id)}/content`)).blob(), filename);
}

/** Reads the first bytes of a file as text: whole lines, and the last one only if the file ends with it. */
export async function firstLines(
  { id, bytes }: FileObject,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<string[]> {
  if (bytes === 0) return [];
  const range = { range: `bytes=0-${maxBytes - 1}` };
  const response = await request('GET', `${pathOf(id)}/content`, undefined, signal, range);
  const lines = (await response.text()).split('\n');
  if (bytes > maxBytes) lines.pop();
  return lines.filter(Boolean);
}

/** Says when a file goes. */
export const expiryOf = ({ expires_at }: FileObject) =>
  expires_at === null ? 'never' : moment(isoOf(expires_at));

/** Writes a time of the protocol, in seconds, as the times of jobs are. */
export const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();
