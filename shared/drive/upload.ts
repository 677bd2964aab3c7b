import { NotFoundError } from '../http/errors.ts';
import { callDrive } from './call.ts';
import type { ChunkAt } from './chunks.ts';
import { requestTimeoutMs } from './client.ts';
import { unavailable } from './errors.ts';

/** The size of a chunk. Drive takes multiples of 256 KiB. */
export const uploadChunkBytes = 8 * 1024 * 1024;
/** The timeout of one chunk: 8 MiB at 1 Mbit/s take 67 seconds. */
const chunkTimeoutMs = 70_000;
/** Drive may take a chunk in parts. After this many requests in a row that took nothing, the upload is given up. */
const maxStalls = 5;

/** A file to create (POST) or to overwrite (PATCH). */
export interface Upload {
  method: 'POST' | 'PATCH';
  path: string;
  metadata: Record<string, unknown>;
  mimeType: string;
  bytes: number;
}

/** How much of an upload has arrived: `offset` bytes. */
type Progress = { isDone: true } | { isDone: false; offset: number };

/**
 * Uploads by Drive's resumable protocol, which googleapis lacks: after a failure it goes on where Drive has got to.
 * Throws 409 `drive_conflict` for an existing id, `NotFoundError`, 503 if Drive takes no more, and what `callDrive`
 * throws.
 * @see https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
export async function upload(file: Upload, chunkAt: ChunkAt): Promise<void> {
  const session = await openSession(file);
  let offset = 0;
  for (let stalls = 0; stalls < maxStalls; ) {
    const progress = await send(session, await chunkAt(offset), offset, file.bytes);
    if (progress.isDone) return;
    stalls = progress.offset > offset ? 0 : stalls + 1;
    offset = progress.offset;
  }
  throw unavailable('Google Drive takes no more of the upload.');
}

async function openSession({ method, path, metadata, mimeType, bytes }: Upload): Promise<string> {
  const { headers } = await callDrive(({ request, rootUrl }) =>
    request({
      method,
      url: new URL(path, rootUrl).href,
      params: { uploadType: 'resumable', supportsAllDrives: true, fields: 'id' },
      headers: { 'x-upload-content-type': mimeType, 'x-upload-content-length': String(bytes) },
      data: metadata,
      timeout: requestTimeoutMs,
    }),
  );
  const location = headers.get('location');
  if (!location) throw unavailable('Google Drive opened no upload.');
  return location;
}

/** Sends a chunk. A retry sends no content, and asks how much has arrived instead. */
async function send(session: string, chunk: Uint8Array, offset: number, total: number) {
  try {
    return await callDrive(async ({ request }, attempt) => {
      const isFirst = attempt === 0;
      const last = offset + chunk.length - 1;
      const range = isFirst && chunk.length > 0 ? `${offset}-${last}` : '*';
      const { status, headers } = await request({
        method: 'PUT',
        url: session,
        headers: { 'content-range': `bytes ${range}/${total}` },
        ...(isFirst && { data: chunk }),
        timeout: chunkTimeoutMs,
        // Drive sends 308 when it expects more. That is no redirect, and has no `Location`.
        redirect: 'manual',
        // The redactor would search a chunk for secrets for a second. `callDrive` passes no such error on.
        errorRedactor: false,
        validateStatus: (status) => status === 308 || (status >= 200 && status < 300),
      });
      return progressOf(status, headers);
    });
  } catch (error) {
    if (error instanceof NotFoundError) throw unavailable('Google Drive lost the upload.', error);
    throw error;
  }
}

function progressOf(status: number, headers: Headers): Progress {
  if (status !== 308) return { isDone: true };
  const arrived = /^bytes=0-(\d+)$/.exec(headers.get('range') ?? '');
  return { isDone: false, offset: arrived ? Number(arrived[1]) + 1 : 0 };
}
