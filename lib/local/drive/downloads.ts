import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { DriveError, invalidParameter } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { readFile } from './file-content.ts';
import { isBinary, mimeTypeOf } from './file-resource.ts';
import { formatOfType } from './google-files.ts';

/** @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export */
const maxExportBytes = 10 * 1024 * 1024;

/** Sends the response to files.get with `alt=media`: the file's bytes. */
export function sendMedia(folder: DriveFolder, entry: Entry, reply: FastifyReply): FastifyReply {
  if (!isBinary(entry)) {
    const reason =
      'Only files with binary content can be downloaded. Use Export with Docs Editors files.';
    throw invalidParameter('alt', reason, 'fileNotDownloadable', 403);
  }
  return send(folder, entry, mimeTypeOf(entry), reply);
}

/** Sends the response to files.export: a Google file's bytes on disk are already in the exported format. */
export function sendExport(
  folder: DriveFolder,
  entry: Entry,
  mimeType: string | undefined,
  reply: FastifyReply,
): FastifyReply {
  const format = isBinary(entry) ? undefined : formatOfType(mimeTypeOf(entry));
  if (!format) {
    const reason = 'Export only supports Docs Editors files.';
    throw new DriveError(403, 'fileNotExportable', reason);
  }
  if (format.exportType !== mimeType) {
    const reason = 'The requested conversion is not supported.';
    throw invalidParameter('convertTo', reason, 'badRequest');
  }
  if (entry.stat.size > maxExportBytes) {
    const reason = 'This file is too large to be exported.';
    throw new DriveError(403, 'exportSizeLimitExceeded', reason);
  }
  return send(folder, entry, mimeType, reply);
}

function send(folder: DriveFolder, { path, stat }: Entry, type: string, reply: FastifyReply) {
  return reply
    .headers({ 'content-type': type, 'content-length': Number(stat.size) })
    .send(Readable.from(readFile(folder.locate(path), Number(stat.size)), { objectMode: false }));
}
