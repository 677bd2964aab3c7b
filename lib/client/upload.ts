import type { FileObject } from '../../shared/files/file.ts';

/** Asks the service, and returns the JSON of its answer. A form is sent as it is, any other body as JSON. */
export type Ask = <Answer>(
  method: 'POST',
  path: string,
  body?: object,
  signal?: AbortSignal,
) => Promise<Answer>;

/** A file that is to be uploaded, and how. */
export interface Upload {
  file: Blob;
  name: string;
  purpose: string;
  /** How long it is kept, in seconds; as long as its purpose says if absent. */
  keptSeconds?: number | undefined;
}

interface UploadOptions {
  /** How a part is sent; as all else if absent. */
  askPart?: Ask;
  /** Told how many bytes have arrived. */
  onProgress?: (sent: number) => void;
  signal?: AbortSignal;
}

/** The most bytes of a file in one request: a larger file is sent in parts. */
const partBytes = 4 * 2 ** 20;

/** Uploads a file, in one request if it fits. */
export async function upload(
  ask: Ask,
  { file, name, purpose, keptSeconds }: Upload,
  { askPart = ask, onProgress, signal }: UploadOptions = {},
): Promise<FileObject> {
  const expires = keptSeconds && { anchor: 'created_at', seconds: keptSeconds };
  if (file.size <= partBytes) {
    const form = new FormData();
    form.append('purpose', purpose);
    for (const [field, value] of Object.entries(expires || {})) {
      form.append(`expires_after[${field}]`, `${value}`);
    }
    form.append('file', file, name);
    return ask('POST', '/v1/files', form, signal);
  }
  const mime_type = file.type || 'application/octet-stream';
  const about = { filename: name, purpose, bytes: file.size, mime_type };
  const begun = { ...about, ...(expires && { expires_after: expires }) };
  const { id } = await ask<{ id: string }>('POST', '/v1/uploads', begun, signal);
  const path = `/v1/uploads/${encodeURIComponent(id)}`;
  try {
    const part_ids: string[] = [];
    for (let from = 0; from < file.size; from += partBytes) {
      const part = file.slice(from, from + partBytes);
      const form = new FormData();
      form.append('data', part, 'part');
      part_ids.push((await askPart<{ id: string }>('POST', `${path}/parts`, form, signal)).id);
      onProgress?.(from + part.size);
    }
    const ids = { part_ids };
    return (await ask<{ file: FileObject }>('POST', `${path}/complete`, ids, signal)).file;
  } catch (error) {
    // An upload that isn't cancelled would count in the quota for an hour.
    await ask('POST', `${path}/cancel`).catch(() => {});
    throw error;
  }
}
