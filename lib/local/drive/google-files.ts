import { extname } from 'node:path';
import { lookup } from 'mime-types';

const apps = 'application/vnd.google-apps';

export const FOLDER_TYPE = `${apps}.folder`;
export const SHORTCUT_TYPE = `${apps}.shortcut`;

/** A kind of file that Google keeps in a format of its own. */
export interface GoogleFormat {
  extension: string;
  mimeType: string;
  /** What it can be exported to: on disk, it is the first. */
  exports: string[];
}

const formats: GoogleFormat[] = [
  {
    extension: '.gdoc',
    mimeType: `${apps}.document`,
    exports: ['text/markdown', 'text/x-markdown', 'text/plain'],
  },
  { extension: '.gsheet', mimeType: `${apps}.spreadsheet`, exports: ['text/csv'] },
  { extension: '.gslides', mimeType: `${apps}.presentation`, exports: ['text/plain'] },
];

export const isGoogleType = (mimeType: string) => mimeType.startsWith(`${apps}.`);

/** The Google format of a file of this name on disk. */
export const formatOfName = (diskName: string) =>
  formats.find(({ extension }) => extension === extname(diskName).toLowerCase());

export const formatOfType = (mimeType: string) =>
  formats.find((format) => format.mimeType === mimeType);

/** The type that a file's name says. */
export const typeOfName = (diskName: string) =>
  formatOfName(diskName)?.mimeType ?? (lookup(diskName) || 'application/octet-stream');
