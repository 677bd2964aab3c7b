import { addAbortSignal, Readable } from 'node:stream';
import { callDrive } from './call.ts';
import type { DriveClient } from './client.ts';
import { refused, unavailable } from './errors.ts';
import type { DriveFile } from './file.ts';

/** The content of a file. */
export interface Content {
  /** Fails with a 503 `DriveError` if it breaks off, or with the reason of the signal. */
  body: Readable;
  mimeType: string;
  /** The file's name. If it is exported, with the extension of the export. */
  filename: string;
}

/** The silence, before the first byte or between two chunks, that ends a download. */
const maxSilenceMs = 60_000;

/** The format in which a Google document is read: it has no bytes of its own, and must be exported. */
interface ExportFormat {
  mimeType: string;
  extension: string;
}

const googleTypePrefix = 'application/vnd.google-apps.';

/** Whether a type is of Google's own, whose files have no bytes. */
export const isGoogleType = (mimeType: string) => mimeType.startsWith(googleTypePrefix);

const exportFormats: Record<string, ExportFormat> = {
  [`${googleTypePrefix}document`]: { mimeType: 'text/markdown', extension: '.md' },
  [`${googleTypePrefix}spreadsheet`]: { mimeType: 'text/csv', extension: '.csv' },
  [`${googleTypePrefix}presentation`]: { mimeType: 'text/plain', extension: '.txt' },
};

/**
 * Opens a file's content as a stream: Docs as Markdown, Sheets as CSV (the first sheet), Slides as text, others as
 * they are. `signal`, or destroying the stream, ends it. Throws 422 for other Google types, 413 for an export over 10
 * MB, and what `callDrive` throws.
 * @see https://developers.google.com/workspace/drive/api/guides/ref-export-formats
 */
export async function openContent(file: DriveFile, signal?: AbortSignal): Promise<Content> {
  const exported = exportFormatOf(file.mimeType);
  const body = await callDrive(
    ({ files }) => open(files, file.id, exported?.mimeType, signal),
    signal,
  );
  return {
    body: signal ? addAbortSignal(signal, body) : body,
    mimeType: exported?.mimeType ?? file.mimeType,
    filename: exported ? withExtension(file.name, exported.extension) : file.name,
  };
}

/** Returns the format to export a type in; undefined if it is downloaded. Throws 422 if it can be neither. */
function exportFormatOf(mimeType: string): ExportFormat | undefined {
  if (!isGoogleType(mimeType)) return undefined;
  const known = exportFormats[mimeType];
  if (known) return known;
  throw refused(422, 'unsupported_file_type', `Files of type ${mimeType} can't be read.`);
}

const withExtension = (name: string, extension: string) =>
  name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;

async function open(
  files: DriveClient['files'],
  fileId: string,
  exportType: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), maxSilenceMs);
  const options = {
    responseType: 'stream',
    signal: AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]),
  } as const;
  try {
    const { data } = await (exportType
      ? files.export({ fileId, mimeType: exportType }, options)
      : files.get({ fileId, alt: 'media', supportsAllDrives: true }, options));
    // Typed as node-fetch's stream, but fetch returns a web stream.
    return readFrom(data as unknown as ReadableStream<Uint8Array>, controller);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes a Node stream of a web stream. It reads a chunk only when its own reader wants one. */
function readFrom(body: ReadableStream<Uint8Array>, controller: AbortController): Readable {
  const reader = body.getReader();
  return new Readable({
    async read() {
      const timer = setTimeout(() => this.destroy(brokenOff()), maxSilenceMs);
      try {
        const { done, value } = await reader.read();
        this.push(done ? null : value);
      } catch (error) {
        this.destroy(brokenOff(error));
      } finally {
        clearTimeout(timer);
      }
    },
    destroy(error, callback) {
      controller.abort();
      callback(error);
    },
  });
}

const brokenOff = (cause?: unknown) =>
  unavailable('The download from Google Drive broke off.', cause);
