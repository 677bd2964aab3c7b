import { isGone } from '../aws/is-gone.ts';
import { ServiceError } from '../http/errors.ts';
import type { StreamedResponse } from '../http/stream-endpoint.ts';
import { noSuchFile, type StoredFile } from './file.ts';
import { requireFile } from './find-file.ts';
import { readFile } from './read-file.ts';

/**
 * Responds with a file's bytes, or the range of a `Range` header, so that a download can go on.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
 */
export async function fileContent(
  keyId: string,
  id: string,
  range?: string,
): Promise<StreamedResponse> {
  const file = await requireFile(keyId, id);
  const asked = range === undefined ? undefined : rangeIn(range, file);
  const pieces = readFile(file, asked);
  // Until the first piece is there, a failure has a status of its own.
  const first = await pieces.next().catch((error: unknown) => {
    throw isGone(error) ? noSuchFile(id) : error;
  });
  const contentRange = asked && `bytes ${asked.from}-${asked.to - 1}/${file.bytes}`;
  return {
    statusCode: asked ? 206 : 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': attachment(file),
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      ...(contentRange && { 'content-range': contentRange }),
    },
    body: joined(first, pieces),
  };
}

async function* joined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** Reads one range that has a begin; any other header asks for the whole file. */
function rangeIn(range: string, { bytes }: StoredFile): { from: number; to: number } | undefined {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (first === undefined) return undefined;
  const from = Number(first);
  const to = last ? Math.min(bytes, Number(last) + 1) : bytes;
  if (from < to) return { from, to };
  const message = `The file has ${bytes} bytes: there are none in the range that was asked for.`;
  throw new ServiceError(416, 'range_not_satisfiable', message, { param: 'range' });
}

/** @see https://www.rfc-editor.org/rfc/rfc6266 */
function attachment({ filename }: StoredFile): string {
  const plain = filename.replace(/[^ !#-[\]-~]/g, '_');
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, percentOf);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const percentOf = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
