import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import { invalidParameter } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { isUnreadable, readFile } from './file-content.ts';
import {
  folderType,
  formatOfName,
  formatOfType,
  shortcutType,
  typeOfName,
} from './google-files.ts';

/**
 * The fields of a file that the service asks for. There are no shared drives, so no `driveId`.
 * @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
const knownFields = `id name mimeType parents driveId size md5Checksum modifiedTime trashed
  appProperties webViewLink shortcutDetails`.split(/\s+/);

/**
 * Reads which fields a request asks for; an object's fields, in brackets, are given all. Throws Drive's 400.
 * @see https://developers.google.com/workspace/drive/api/guides/fields-parameter
 */
export function readFields(text = 'id,name,mimeType', known = knownFields): string[] {
  const names = text.replace(/\([\w, ]+\)/g, '').split(/, */);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw invalidParameter('fields', `Invalid field selection ${unknown}`, 'invalidParameter');
}

/** Returns a file's name in Drive, where a Google file has no extension. */
export function nameOf({ row, kind }: Entry): string {
  if (row.name !== null) return row.name;
  return kind === 'file' && formatOfName(row.disk_name) ? parse(row.disk_name).name : row.disk_name;
}

export function mimeTypeOf({ row, kind }: Entry): string {
  if (kind === 'folder') return folderType;
  if (kind === 'shortcut') return shortcutType;
  return row.mime_type ?? typeOfName(row.disk_name);
}

/** Returns what the index keeps of a new file's name and type: null for what the name on disk says already. */
export const indexedAs = (diskName: string, name: string, mimeType: string) => ({
  name: name === diskName ? null : name,
  mime_type: mimeType === typeOfName(diskName) ? null : mimeType,
});

/** Whether an entry is a file whose bytes can be downloaded, unlike a Google file's. */
export const isBinary = ({ kind, row }: Entry) => kind === 'file' && !formatOfName(row.disk_name);

/** Returns the fields of a file that are asked for, with a checksum only if that is, and the file can be read. */
export async function describeFile(
  folder: DriveFolder,
  entry: Entry,
  fields: readonly string[],
): Promise<unknown> {
  const wantsChecksum = fields.includes('md5Checksum');
  const appProperties = JSON.parse(entry.row.app_properties);
  const resource = {
    id: entry.id,
    name: nameOf(entry),
    mimeType: mimeTypeOf(entry),
    ...(entry.parentId && { parents: [entry.parentId] }),
    trashed: false,
    modifiedTime: entry.stat.mtime.toISOString(),
    webViewLink: webViewLinkOf(entry),
    ...(Object.keys(appProperties).length > 0 && { appProperties }),
    ...(isBinary(entry) && { size: String(entry.stat.size) }),
    ...(isBinary(entry) && wantsChecksum && (await checksumOf(folder, entry))),
    ...(entry.kind === 'shortcut' && { shortcutDetails: shortcutDetailsOf(folder, entry) }),
  };
  return Object.fromEntries(Object.entries(resource).filter(([name]) => fields.includes(name)));
}

/** Returns the address of the page on which a person would open the file. On this machine there is none. */
function webViewLinkOf(entry: Entry): string {
  if (entry.kind === 'folder') return `https://drive.google.com/drive/folders/${entry.id}`;
  const editor = formatOfType(mimeTypeOf(entry))?.editor;
  return editor
    ? `https://docs.google.com/${editor}/d/${entry.id}/edit?usp=drivesdk`
    : `https://drive.google.com/file/d/${entry.id}/view?usp=drivesdk`;
}

async function checksumOf(folder: DriveFolder, entry: Entry): Promise<{ md5Checksum?: string }> {
  try {
    return { md5Checksum: await md5Of(folder, entry) };
  } catch (error) {
    // The other files of its folder are still listed; a read of this one says why it fails.
    if (isUnreadable(error)) return {};
    throw error;
  }
}

async function md5Of(folder: DriveFolder, { id, path, stat, row }: Entry): Promise<string> {
  const state = `${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  if (row.md5 && row.md5_of === state) return row.md5;
  const hash = createHash('md5');
  for await (const chunk of readFile(folder.locate(path), Number(stat.size))) hash.update(chunk);
  const md5 = hash.digest('hex');
  folder.index.change(id, { md5, md5_of: state });
  return md5;
}

function shortcutDetailsOf(folder: DriveFolder, entry: Entry) {
  const target = folder.target(entry);
  if (target) return { targetId: target.id, targetMimeType: mimeTypeOf(target) };
  // An id of the right form that no file has; the same whenever it is asked for.
  const digest = createHash('sha256').update(entry.id).digest('base64url').slice(0, 32);
  return { targetId: `0${digest}`, targetMimeType: 'application/octet-stream' };
}
