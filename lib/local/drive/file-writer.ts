import { linkSync, lstatSync, renameSync } from 'node:fs';
import { extname, parse } from 'node:path';
import { badRequest, DriveError } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { isFileId, joinPath, newFileId } from './drive-index.ts';
import { indexedAs, mimeTypeOf, nameOf } from './file-resource.ts';
import { formatOfName, isGoogleType, typeOfName } from './google-files.ts';

/** The metadata that a client may give of a file. */
export interface FileMetadata {
  id?: string;
  name?: string;
  mimeType?: string;
  parents?: [string];
  appProperties?: Record<string, string>;
}

/** Makes and changes files. On disk they always appear whole. */
export class FileWriter {
  private readonly folder: DriveFolder;

  constructor(folder: DriveFolder) {
    this.folder = folder;
  }

  /** Returns the folder of a new file. Throws if the file can't be made. */
  checkNew({ id, mimeType = '', parents, appProperties }: FileMetadata): Entry {
    const parent = this.folder.get(parents?.[0] ?? 'root');
    if (parent.kind !== 'folder') {
      throw new DriveError(403, 'parentNotAFolder', 'The specified parent is not a folder.');
    }
    mergeProperties('{}', appProperties);
    if (isGoogleType(mimeType)) throw badRequest(`The service makes no file of type ${mimeType}.`);
    if (id === undefined) return parent;
    if (!isFileId(id)) throw new DriveError(400, 'invalid', 'The provided file ID is not usable.');
    if (!this.folder.find(id)) return parent;
    throw new DriveError(409, 'fileIdInUse', 'A file already exists with the provided ID.');
  }

  /** Makes a file of what was uploaded to a path. Returns its id. */
  create(metadata: FileMetadata, uploaded: string): string {
    const { path: parent } = this.checkNew(metadata);
    const { id = newFileId(), name = 'Untitled', mimeType = typeOfName(name) } = metadata;
    const wanted = diskNameFor(name);
    for (let n = 0; ; n++) {
      const diskName = otherName(wanted, n);
      if (!moveToFree(uploaded, this.folder.locate(joinPath(parent, diskName)))) continue;
      this.folder.index.add(id, parent, diskName);
      this.folder.index.change(id, {
        ...indexedAs(diskName, name, mimeType),
        app_properties: mergeProperties('{}', metadata.appProperties),
      });
      return id;
    }
  }

  /** Returns the file to change. Throws if it can't be changed in this way. */
  checkChange(id: string, { name, mimeType, appProperties }: FileMetadata): Entry {
    const entry = this.folder.get(id);
    if (entry.kind !== 'file') throw badRequest('The service changes files alone.');
    if ((name && name !== nameOf(entry)) || (mimeType && mimeType !== mimeTypeOf(entry))) {
      throw badRequest('The service changes no name and no type.');
    }
    mergeProperties(entry.row.app_properties, appProperties);
    return entry;
  }

  /** Changes a file's properties and, if something was uploaded, its content. */
  change(id: string, metadata: FileMetadata, uploaded?: string): void {
    const { path, row } = this.checkChange(id, metadata);
    if (uploaded) renameSync(uploaded, this.folder.locate(path));
    const app_properties = mergeProperties(row.app_properties, metadata.appProperties);
    this.folder.index.change(id, { app_properties });
  }
}

/** The error codes of file systems without hard links. */
const codesWithoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a file another path; it may keep the first one. Returns false if the other is taken. */
function moveToFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!codesWithoutLinks.includes(code) && code !== 'EEXIST') throw error;
    // A link takes a name even if it points to nothing.
    if (code === 'EEXIST' || lstatSync(to, { throwIfNoEntry: false })) return false;
    renameSync(from, to);
  }
  return true;
}

/** @see https://developers.google.com/workspace/drive/api/guides/properties */
const maxPropertyBytes = 124;

/** Returns JSON of the properties after a change. Throws Drive's 403 for one too long. */
function mergeProperties(before: string, changes: Record<string, string> = {}): string {
  for (const [key, value] of Object.entries(changes)) {
    if (Buffer.byteLength(key + value) <= maxPropertyBytes) continue;
    throw new DriveError(
      403,
      'propertyLengthLimitExceeded',
      'Properties and app properties are limited to 124 bytes in UTF-8 encoding, ' +
        'counting both the key and the value.',
    );
  }
  return JSON.stringify({ ...JSON.parse(before), ...changes });
}

const maxNameBytes = 255;
/** Leaves room for the ` (123)` that is added to a name that is taken. */
const maxChosenBytes = maxNameBytes - 8;

/** Returns the name on disk for a file's name in Drive, which may hold any character and have any length. */
function diskNameFor(name: string): string {
  const safe = shorten(
    name
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a disk takes none of them.
      .replace(/[/\\\u0000-\u001f]/g, '_')
      .replace(/^\./, '_.'),
  );
  // With such an extension it would be taken for a Google file.
  return formatOfName(safe) ? `${safe}.bin` : safe;
}

/** Returns the n-th alternative to a name that is taken; the name itself for 0. */
function otherName(diskName: string, n: number): string {
  const { name, ext } = parse(diskName);
  return n === 0 ? diskName : `${name} (${n})${ext}`;
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxChosenBytes) return name;
  const extension = extname(name).slice(0, 32);
  const stem = Buffer.from(name).subarray(0, maxChosenBytes - Buffer.byteLength(extension));
  return stem.toString().replace(/\uFFFD+$/, '') + extension;
}
