import type { FileObject } from '../../../shared/files/file.ts';
import { aligned, minuteOf, printable } from '../text.ts';

/** The number and bytes of a key's files, and the quota. */
export interface KeyFiles {
  key_id: string;
  key_name: string;
  files: number;
  bytes: number;
  max_files: number;
  max_bytes: number;
}

/** A file as operators see it. */
export interface FileSheet extends FileObject {
  key_id: string;
  key_name: string;
}

/** Lists how much each key has, one line for each. */
export function tabulateKeyFiles(keys: readonly KeyFiles[], more: boolean): string {
  if (keys.length === 0) return 'No key has any files.';
  const table = aligned([
    ['key', 'id', 'files', 'of', 'bytes', 'of'],
    ...keys.map((key) => [
      ...[printable(key.key_name), key.key_id, String(key.files), String(key.max_files)],
      ...[sizeOf(key.bytes), sizeOf(key.max_bytes)],
    ]),
  ]);
  return withMore(table, more);
}

/** Lists files, one line for each. */
export function tabulateFiles(files: readonly FileSheet[], more: boolean): string {
  if (files.length === 0) return 'There are no such files.';
  const table = aligned([
    ['id', 'made', 'purpose', 'bytes', 'expires', 'name'],
    ...files.map((file) => [
      ...[file.id, at(file.created_at), file.purpose, sizeOf(file.bytes)],
      ...[file.expires_at === null ? 'never' : at(file.expires_at), printable(file.filename)],
    ]),
  ]);
  return withMore(table, more);
}

/** Describes a file, one line for each field. */
export const describeFile = (file: FileSheet): string =>
  aligned([
    ['id', file.id],
    ['key', `${file.key_id} (${printable(file.key_name)})`],
    ['name', printable(file.filename)],
    ['purpose', file.purpose],
    ['bytes', `${file.bytes} (${sizeOf(file.bytes)})`],
    ['made', at(file.created_at)],
    ['expires', file.expires_at === null ? 'never' : at(file.expires_at)],
  ]);

const withMore = (table: string, more: boolean) =>
  more ? `${table}\n\nThere are more: --limit shows them.` : table;

const at = (seconds: number) => minuteOf(new Date(seconds * 1000).toISOString());

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Writes a number of bytes in the unit that keeps it short. */
function sizeOf(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const digits = unit === 0 ? 0 : 1;
  return `${(bytes / 2 ** (10 * unit)).toFixed(digits)} ${units[unit]}`;
}
