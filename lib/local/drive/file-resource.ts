import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { type FieldsMask, parseFields, select } from './fields-mask.ts';
import { readFile } from './file-content.ts';
import { FOLDER_TYPE, formatOfName, SHORTCUT_TYPE, typeOfName } from './google-files.ts';

/** What Drive answers where no fields are asked for. */
const defaultFields: FieldsMask = new Map(
  ['kind', 'id', 'name', 'mimeType'].map((name) => [name, true]),
);

/** The fields of a file that a request asks for. */
export const fileFields = (text: string | undefined): FieldsMask =>
  text === undefined ? defaultFields : parseFields(text, knownFields);

export const defaultFileFields = defaultFields;

/** A file's name in Drive: a Google file has no extension there. */
export function nameOf({ row, kind }: Entry): string {
  if (row.name !== null) return row.name;
  return kind === 'file' && formatOfName(row.disk_name) ? parse(row.disk_name).name : row.disk_name;
}

export function mimeTypeOf({ row, kind }: Entry): string {
  if (kind === 'folder') return FOLDER_TYPE;
  if (kind === 'shortcut') return SHORTCUT_TYPE;
  return row.mime_type ?? typeOfName(row.disk_name);
}

/** What the index keeps of a name and a type: only what the name on disk doesn't say. */
export function indexedAs(diskName: string, kind: Entry['kind'], name: string, mimeType: string) {
  const said = kind === 'file' && formatOfName(diskName) ? parse(diskName).name : diskName;
  return {
    name: name === said ? null : name,
    mime_type: kind !== 'file' || mimeType === typeOfName(diskName) ? null : mimeType,
  };
}

/** Whether a file has bytes of its own in Drive. */
export const isBinary = ({ kind, row }: Entry) => kind === 'file' && !formatOfName(row.disk_name);

export const createdTimeOf = ({ stat }: Entry) => stat.birthtime.toISOString();
export const modifiedTimeOf = ({ stat }: Entry) => stat.mtime.toISOString();

/** Describes a file with no more work than the fields asked for take. */
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
    ...(Object.keys(appProperties).length > 0 && { appProperties }),
    ...(isBinary(entry) && { size: String(entry.stat.size) }),
    ...(isBinary(entry) && wants('md5Checksum') && { md5Checksum: await md5Of(folder, entry) }),
    ...(entry.kind === 'shortcut' && { shortcutDetails: shortcutDetailsOf(folder, entry) }),
  };
  return select(resource, mask);
}

/** Grows with each change: the disk's time of a change of the content, or the index's of the rest. */
export function versionOf({ stat, row }: Entry): number {
  return Math.max(Number(stat.ctimeNs / 1000n), row.changed_at);
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
  // An id of the right form that no file has, the same at each look.
  const nowhere = createHash('sha256').update(entry.id).digest('base64url').slice(0, 32);
  return { targetId: `0${nowhere}`, targetMimeType: 'application/octet-stream' };
}

// What Drive's v3 knows of a file: a field it has and this server lacks is answered by none.
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
