import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { DriveError, invalidParameter } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { readFile } from './file-content.ts';
import { isBinary, mimeTypeOf } from './file-resource.ts';
import { formatOfType } from './google-files.ts';

/** @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export */
const maxExportBytes = 10 * 1024 * 1024;

/** Sends the response to files.get with `alt=media`: the file's bytes, or the range of them asked for. */
export function sendMedia(
  folder: DriveFolder,
  entry: Entry,
  range: string | undefined,
  reply: FastifyReply,
): FastifyReply {
  if (!isBinary(entry)) {
    const reason =
      'Only files with binary content can be downloaded. Use Export with Docs Editors files.';
    throw new DriveError(403, 'fileNotDownloadable', reason, {
      location: 'alt',
      locationType: 'parameter',
    });
  }
  const size = Number(entry.stat.size);
  const requested = range === undefined ? undefined : readRange(range, size, reply);
  const { start, end } = requested ?? { start: 0, end: size };
  if (requested) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
  return reply
    .headers({ 'content-type': mimeTypeOf(entry), 'content-length': end - start })
    .headers({ 'accept-ranges': 'bytes', 'cache-control': 'private, max-age=0' })
    .send(Readable.from(readFile(folder.locate(entry.path), start, end), { objectMode: false }));
}

/** Sends the response to files.export: a Google file's bytes on disk are already in the exported format. */
export function sendExport(
  folder: DriveFolder,
  entry: Entry,
  mimeType: string | undefined,
  reply: FastifyReply,
): FastifyReply {
  if (!mimeType) throw invalidParameter('mimeType', 'Required parameter: mimeType', 'required');
  const format = isBinary(entry) ? undefined : formatOfType(mimeTypeOf(entry));
  if (!format) {
    const reason = 'Export only supports Docs Editors files.';
    throw new DriveError(403, 'fileNotExportable', reason);
  }
  if (!format.exports.includes(mimeType)) {
    const reason = 'The requested conversion is not supported.';
    throw invalidParameter('convertTo', reason, 'badRequest');
  }
  if (entry.stat.size > maxExportBytes) {
    const reason = 'This file is too large to be exported.';
    throw new DriveError(403, 'exportSizeLimitExceeded', reason);
  }
  const bytes = readFile(folder.locate(entry.path), 0, Number(entry.stat.size));
  const hasByteOrderMark = format.extension === '.gdoc' && mimeType === 'text/plain';
  const content = hasByteOrderMark ? withByteOrderMark(bytes) : bytes;
  return reply.type(mimeType).send(Readable.from(content, { objectMode: false }));
}

/** Puts a byte order mark first, as Google does in a document's plain text. */
async function* withByteOrderMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('\uFEFF');
  yield* bytes;
}

/** Reads a header for one range, `end` exclusive; undefined for one that Drive ignores. Throws Drive's 416. */
function readRange(header: string, size: number, reply: FastifyReply) {
  const [, from, to] = header.match(/^bytes=(\d*)-(\d*)$/) ?? [];
  if (!from && !to) return undefined;
  const start = from ? Number(from) : Math.max(0, size - Number(to));
  const end = from && to ? Math.min(Number(to) + 1, size) : size;
  if (start < end) return { start, end };
  reply.header('content-range', `bytes */${size}`);
  throw new DriveError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable', {
    location: 'Range',
    locationType: 'header',
  });
}
