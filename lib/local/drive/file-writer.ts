import { lstatSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, extname, parse } from 'node:path';
import { badRequest, DriveError } from './drive-error.ts';
import { type DriveFolder, type Entry, rootFolderId } from './drive-folder.ts';
import { isFileId, joinPath, newFileId } from './drive-index.ts';
import { type FileMetadata, folderOf, mergeProperties, parentOf } from './file-metadata.ts';
import { indexedAs, mimeTypeOf, nameOf, versionOf } from './file-resource.ts';
import { formatOfName, formatOfType, isGoogleType, typeOfName } from './google-files.ts';
import { moveToFree, type UploadedContent } from './upload-folder.ts';

/** A change of a file: its new metadata, and the folders that it is moved into and out of. */
export interface FileChange {
  metadata: FileMetadata;
  addParents?: string;
  removeParents?: string;
}

/** Makes and changes files. On disk they always appear whole. */
export class FileWriter {
  private readonly folder: DriveFolder;
  /** The ids and paths of files that are being made. */
  private readonly reserved = new Set<string>();

  constructor(folder: DriveFolder) {
    this.folder = folder;
  }

  /** Throws if a file can't be made of this. */
  checkNew(metadata: FileMetadata): void {
    const { id, mimeType = '', appProperties } = metadata;
    parentOf(metadata, this.folder);
    mergeProperties({}, appProperties);
    if (isGoogleType(mimeType)) throw badRequest(`The service makes no file of type ${mimeType}.`);
    if (id === undefined) return;
    if (!isFileId(id)) throw new DriveError(400, 'invalid', 'The provided file ID is not usable.');
    if (this.reserved.has(id) || this.folder.find(id)) {
      const reason = 'A file already exists with the provided ID.';
      throw new DriveError(409, 'fileIdInUse', reason);
    }
  }

  /** Makes a file. Returns its id. */
  async create(metadata: FileMetadata, content: UploadedContent): Promise<string> {
    this.checkNew(metadata);
    const { id = newFileId(), name = 'Untitled' } = metadata;
    const mimeType = metadata.mimeType ?? typeOfContent(content) ?? typeOfName(name);
    this.reserved.add(id);
    try {
      let isMade = false;
      while (!isMade) {
        isMade = await this.tryToMake(id, { ...metadata, name, mimeType }, content);
      }
    } finally {
      this.reserved.delete(id);
    }
    return id;
  }

  /** Returns the file to change. Throws if it can't be changed in this way. */
  checkChange(id: string, { metadata, addParents, removeParents }: FileChange): Entry {
    const entry = this.folder.get(id);
    refuseRoot(entry);
    if (metadata.parents) {
      const reason =
        'The parents field is not directly writable in update requests. ' +
        'Use the addParents and removeParents parameters instead.';
      throw new DriveError(403, 'fieldNotWritable', reason);
    }
    if (metadata.trashed) throw badRequest('A Drive on disk has no bin.');
    const type = metadata.mimeType;
    if (removeParents && !addParents) throw badRequest('A file must have a parent.');
    const before = mimeTypeOf(entry);
    if (type && type !== before && (isGoogleType(type) || isGoogleType(before))) {
      throw badRequest(`A file of type ${before} can't become one of type ${type}.`);
    }
    mergeProperties(JSON.parse(entry.row.app_properties), metadata.appProperties);
    const target = addParents === undefined ? undefined : folderOf(addParents, this.folder);
    if (entry.kind === 'folder' && `${target?.path}/`.startsWith(`${entry.path}/`)) {
      throw badRequest("A folder can't be moved into itself.");
    }
    return entry;
  }

  /** Changes a file's metadata and, if given, its content. */
  async change(id: string, change: FileChange, content?: UploadedContent): Promise<void> {
    const entry = this.checkChange(id, change);
    const { metadata, addParents } = change;
    if (content) {
      if (entry.kind !== 'file') throw badRequest('Only a file has content.');
      await rename(content.path, this.folder.locate(entry.path));
    }
    const name = metadata.name ?? nameOf(entry);
    const before = mimeTypeOf(entry);
    const uploadedType = isGoogleType(before) ? undefined : typeOfContent(content);
    const mimeType = metadata.mimeType ?? uploadedType ?? before;
    const diskName = await this.move(entry, addParents, name, mimeType);
    const properties = JSON.parse(entry.row.app_properties);
    this.folder.index.change(id, {
      ...indexedAs(diskName, entry.kind, name, mimeType),
      app_properties: JSON.stringify(mergeProperties(properties, metadata.appProperties)),
      changed_at: Math.max(Date.now() * 1000, versionOf(entry) + 1),
    });
  }

  /** Makes a new file under a free name. Returns false if another file took the name meanwhile. */
  private async tryToMake(
    id: string,
    metadata: FileMetadata & { name: string; mimeType: string },
    content: UploadedContent,
  ): Promise<boolean> {
    const { name, mimeType } = metadata;
    const parent = parentOf(metadata, this.folder);
    const path = this.freePath(parent.path, diskNameFor(name, mimeType));
    this.reserved.add(path);
    // The index has the id before the disk has the file: otherwise a listing would give the file another id.
    this.folder.index.add(id, parent.path, basename(path));
    this.folder.index.change(id, {
      ...indexedAs(basename(path), 'file', name, mimeType),
      app_properties: JSON.stringify(mergeProperties({}, metadata.appProperties)),
      changed_at: Date.now() * 1000,
    });
    try {
      await moveToFree(content.path, this.folder.locate(path));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      this.reserved.delete(path);
    }
  }

  /** Moves an entry on disk, if its name or its folder changes. Returns its name there. */
  private async move(
    entry: Entry,
    addParents: string | undefined,
    name: string,
    mimeType: string,
  ): Promise<string> {
    const { row } = entry;
    const parent = addParents === undefined ? row.parent : folderOf(addParents, this.folder).path;
    if (parent === row.parent && name === nameOf(entry)) return row.disk_name;
    const path = this.freePath(parent, diskNameFor(name, mimeType));
    await rename(this.folder.locate(entry.path), this.folder.locate(path));
    this.folder.index.move(entry.id, parent, basename(path));
    return basename(path);
  }

  private freePath(parent: string, diskName: string): string {
    for (let n = 0; ; n++) {
      const path = joinPath(parent, otherName(diskName, n));
      // lstat, because a link takes a name even if it points to nothing.
      const existing = lstatSync(this.folder.locate(path), { throwIfNoEntry: false });
      if (!existing && !this.reserved.has(path)) return path;
    }
  }
}

function refuseRoot({ id }: Entry): void {
  if (id !== rootFolderId) return;
  const reason = 'The user does not have sufficient permissions for this file.';
  throw new DriveError(403, 'insufficientFilePermissions', reason);
}

/** Returns the type that a client gave its content; undefined for the one that says nothing. */
const typeOfContent = (content?: UploadedContent) =>
  content?.mimeType === 'application/octet-stream' ? undefined : content?.mimeType;

const maxNameBytes = 255;
/** Leaves room for the ` (123)` that is added to a name that is taken. */
const maxChosenBytes = maxNameBytes - 8;

/** Returns the name on disk for a file's name in Drive, which may hold any character and have any length. */
function diskNameFor(name: string, mimeType: string): string {
  const format = formatOfType(mimeType);
  const safe = shorten(
    name
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a disk takes none of them.
      .replace(/[/\\\u0000-\u001f]/g, '_')
      .replace(/^\./, '_.'),
    format?.extension,
  );
  if (format) return `${safe}${format.extension}`;
  // With such an extension it would be taken for a Google file.
  return formatOfName(safe) ? `${safe}.bin` : safe;
}

/** Returns the n-th alternative to a name that is taken; the name itself for 0. */
function otherName(diskName: string, n: number): string {
  const { name, ext } = parse(diskName);
  return n === 0 ? diskName : `${name} (${n})${ext}`;
}

function shorten(name: string, extension = extname(name).slice(0, 32)): string {
  if (Buffer.byteLength(name) <= maxChosenBytes - extension.length) return name;
  const room = maxChosenBytes - Buffer.byteLength(extension);
  const stem = Buffer.from(name)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, '');
  return stem + (name.endsWith(extension) ? extension : '');
}
