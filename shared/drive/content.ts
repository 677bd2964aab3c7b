import { addAbortSignal, Readable } from 'node:stream';
import { callDrive } from './call.ts';
import type { DriveClient } from './client.ts';
import { unavailable } from './errors.ts';
import type { DriveFile } from './file.ts';
import { exportOf } from './google-kinds.ts';

/** A file's content on its way. */
export interface Content {
  /** Fails with a `DriveError` that says to try again if it breaks off. */
  body: Readable;
  mimeType: string;
  /** The file's name, with the export's extension where it is exported. */
  filename: string;
}

/** A silence this long, before the first byte or between two, means that the rest won't come. */
const longestSilenceMs = 60_000;

/**
 * Opens a file's content as a stream: Docs as Markdown, Sheets as CSV (the first sheet), Slides as
 * text, all else as it is. `signal` breaks it off at any time, as does destroying the stream.
 */
export async function openContent(file: DriveFile, signal?: AbortSignal): Promise<Content> {
  const exported = exportOf(file.mimeType);
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

const withExtension = (name: string, extension: string) =>
  name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;

async function open(
  files: DriveClient['files'],
  fileId: string,
  exportType: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), longestSilenceMs);
  const options = {
    responseType: 'stream',
    signal: AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]),
  } as const;
  try {
    const { data } = await (exportType
      ? files.export({ fileId, mimeType: exportType }, options)
      : files.get({ fileId, alt: 'media', supportsAllDrives: true }, options));
    // Typed as node-fetch's stream; fetch's own is the web's.
    return readFrom(data as unknown as ReadableStream<Uint8Array>, controller);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads no further ahead than it is read itself. */
function readFrom(body: ReadableStream<Uint8Array>, controller: AbortController): Readable {
  const reader = body.getReader();
  return new Readable({
    async read() {
      const timer = setTimeout(() => this.destroy(brokenOff()), longestSilenceMs);
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
