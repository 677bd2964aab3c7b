import { extname } from 'node:path';
import { lookup } from 'mime-types';

/** @see https://developers.google.com/workspace/drive/api/guides/mime-types */
const apps = 'application/vnd.google-apps';

export const folderType = `${apps}.folder`;
export const shortcutType = `${apps}.shortcut`;

/** A kind of file that Google keeps in a format of its own, and this server as text. */
export interface GoogleFormat {
  /** Its name on disk ends in this. */
  extension: string;
  mimeType: string;
  /** The type that it is exported to. Its bytes on disk have this type. */
  exportType: string;
  /** The editor's name in links to the file. */
  editor: string;
}

const formats = (
  [
    ['.gdoc', 'document', 'text/markdown', 'document'],
    ['.gsheet', 'spreadsheet', 'text/csv', 'spreadsheets'],
    ['.gslides', 'presentation', 'text/plain', 'presentation'],
  ] as const
).map(
  ([extension, type, exportType, editor]): GoogleFormat => ({
    ...{ extension, exportType, editor },
    mimeType: `${apps}.${type}`,
  }),
);

export const isGoogleType = (mimeType: string) => mimeType.startsWith(`${apps}.`);

/** Returns the Google format of a file of this name on disk; undefined if it is an ordinary file. */
export const formatOfName = (diskName: string) =>
  formats.find(({ extension }) => extension === extname(diskName).toLowerCase());

export const formatOfType = (mimeType: string) =>
  formats.find((format) => format.mimeType === mimeType);

/** Returns the type that a name on disk says. */
export const typeOfName = (diskName: string) =>
  formatOfName(diskName)?.mimeType ?? (lookup(diskName) || 'application/octet-stream');
