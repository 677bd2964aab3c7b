import type { FileObject } from '../../../shared/files/file.ts';
import { call } from '../api/call.ts';
import { Failure } from '../api/failure.ts';

/** A file that is to be uploaded, and how. */
export interface Upload {
  file: File;
  purpose: string;
  /** How long it is kept, in seconds; as long as its purpose says if absent. */
  keptSeconds?: number | undefined;
}

/** The most bytes of a file in one request: a larger file is sent in parts. */
const partBytes = 4 * 2 ** 20;

/** Uploads a file, in one request if it fits. Tells how many bytes have arrived. */
export async function upload(
  asked: Upload,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<FileObject> {
  return asked.file.size <= partBytes
    ? uploadWhole(asked, signal)
    : uploadParts(asked, onProgress, signal);
}

async function uploadWhole({ file, purpose, keptSeconds }: Upload, signal: AbortSignal) {
  const form = new FormData();
  form.append('purpose', purpose);
  if (keptSeconds) {
    form.append('expires_after[anchor]', 'created_at');
    form.append('expires_after[seconds]', `${keptSeconds}`);
  }
  form.append('file', file, file.name);
  return call<FileObject>('POST', '/v1/files', form, signal);
}

async function uploadParts(
  { file, purpose, keptSeconds }: Upload,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<FileObject> {
  const { id } = await call<{ id: string }>(
    'POST',
    '/v1/uploads',
    {
      filename: file.name,
      purpose,
      bytes: file.size,
      mime_type: file.type || 'application/octet-stream',
      ...(keptSeconds && { expires_after: { anchor: 'created_at', seconds: keptSeconds } }),
    },
    signal,
  );
  const path = `/v1/uploads/${encodeURIComponent(id)}`;
  try {
    const part_ids: string[] = [];
    for (let from = 0; from < file.size; from += partBytes) {
      const part = file.slice(from, from + partBytes);
      part_ids.push(await sendPart(path, part, signal));
      onProgress(from + part.size);
    }
    const done = await call<{ file: FileObject }>('POST', `${path}/complete`, { part_ids }, signal);
    return done.file;
  } catch (error) {
    // Nobody goes on with it: what was sent would count for an hour.
    await call('POST', `${path}/cancel`).catch(() => {});
    throw error;
  }
}

/** Pauses before a part is sent again. */
const pausesMs = [1_000, 4_000, 10_000];

/** Sends a part, and again if the service was out of reach or busy: a part whose answer was lost does no harm. */
async function sendPart(path: string, part: Blob, signal: AbortSignal): Promise<string> {
  const form = new FormData();
  form.append('data', part, 'part');
  for (const pauseMs of pausesMs) {
    try {
      return (await call<{ id: string }>('POST', `${path}/parts`, form, signal)).id;
    } catch (error) {
      if (!isPassing(error)) throw error;
      await pause(pauseMs, signal);
    }
  }
  return (await call<{ id: string }>('POST', `${path}/parts`, form, signal)).id;
}

const isPassing = (error: unknown) =>
  error instanceof Failure && (error.status === 0 || error.status === 429 || error.status >= 500);

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
