import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { type FieldsMask, parseFields, select } from './fields-mask.ts';
import { isUnreadable, readFile } from './file-content.ts';
import {
  folderType,
  formatOfName,
  formatOfType,
  shortcutType,
  typeOfName,
} from './google-files.ts';

/** The fields of a file that Drive answers if a request names none. */
export const defaultFileFields: FieldsMask = new Map(
  ['kind', 'id', 'name', 'mimeType'].map((name) => [name, true]),
);

/** Reads which fields of a file a request asks for. Throws Drive's 400. */
export const fileFields = (text: string | undefined): FieldsMask =>
  text === undefined ? defaultFileFields : parseFields(text, knownFields);

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

/** Returns what the index keeps of a name and a type: null for what the name on disk says already. */
export function indexedAs(diskName: string, kind: Entry['kind'], name: string, mimeType: string) {
  const impliedName = kind === 'file' && formatOfName(diskName) ? parse(diskName).name : diskName;
  return {
    name: name === impliedName ? null : name,
    mime_type: kind !== 'file' || mimeType === typeOfName(diskName) ? null : mimeType,
  };
}

/** Whether an entry is a file whose bytes can be downloaded, unlike a Google file's. */
export const isBinary = ({ kind, row }: Entry) => kind === 'file' && !formatOfName(row.disk_name);

export const createdTimeOf = ({ stat }: Entry) => stat.birthtime.toISOString();
export const modifiedTimeOf = ({ stat }: Entry) => stat.mtime.toISOString();

/** Returns the fields of a file that are asked for, with a checksum only if that is, and the file can be read. */
export async function describeFile(
  folder: DriveFolder,
  entry: Entry,
  mask: FieldsMask,
): Promise<unknown> {
  const wants = (name: string) => mask === true || mask.has('*') || mask.has(name);
  const appProperties = JSON.parse(entry.row.app_properties);
  const resource = {
    kind: 'drive#file',
    id: entry.id,
    name: nameOf(entry),
    mimeType: mimeTypeOf(entry),
    ...(entry.parentId && { parents: [entry.parentId] }),
    trashed: false,
    createdTime: createdTimeOf(entry),
    modifiedTime: modifiedTimeOf(entry),
    version: String(versionOf(entry)),
    webViewLink: webViewLinkOf(entry),
    ...(Object.keys(appProperties).length > 0 && { appProperties }),
    ...(isBinary(entry) && { size: String(entry.stat.size) }),
    ...(isBinary(entry) && wants('md5Checksum') && (await checksumOf(folder, entry))),
    ...(entry.kind === 'shortcut' && { shortcutDetails: shortcutDetailsOf(folder, entry) }),
  };
  return select(resource, mask);
}

/** Returns a file's version, which grows with each change: the later time, in µs, of the disk's and the index's. */
export function versionOf({ stat, row }: Entry): number {
  return Math.max(Number(stat.ctimeNs / 1000n), row.changed_at);
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
  for await (const chunk of readFile(folder.locate(path))) hash.update(chunk);
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

/**
 * The fields of a file in Drive's v3. Those that this server doesn't have are left out of responses.
 * @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
const knownFields = `* appProperties capabilities clientEncryptionDetails contentHints
  contentRestrictions copyRequiresWriterPermission createdTime description downloadRestrictions
  driveId explicitlyTrashed exportLinks fileExtension folderColorRgb fullFileExtension
  hasAugmentedPermissions hasThumbnail headRevisionId iconLink id imageMediaMetadata
  inheritedPermissionsDisabled isAppAuthorized kind labelInfo lastModifyingUser linkShareMetadata
  md5Checksum mimeType modifiedByMe modifiedByMeTime modifiedTime name originalFilename ownedByMe
  owners parents permissionIds permissions properties quotaBytesUsed resourceKey sha1Checksum
  sha256Checksum shared sharedWithMeTime sharingUser shortcutDetails size spaces starred
  teamDriveId thumbnailLink thumbnailVersion trashed trashedTime trashingUser version
  videoMediaMetadata viewedByMe viewedByMeTime viewersCanCopyContent webContentLink webViewLink
  writersCanShare`.split(/\s+/);

/** Throws Google's 400 for a field that no file has. */
export function checkFileFields(mask: FieldsMask): void {
  if (mask === true) return;
  parseFields([...mask.keys()].join(), knownFields);
}
