import { eraseRemains } from './delete-file.ts';
import { endUpload, isPending, notPending, requireUpload, type StoredUpload } from './upload.ts';

/** How long a request erases before it leaves the rest to the sweep. */
const patienceMs = 12_000;

/** Cancels an upload, with what was sent for it. One that is cancelled already stays so. */
export async function cancelUpload(keyId: string, uploadId: string): Promise<StoredUpload> {
  const upload = await requireUpload(keyId, uploadId);
  if (upload.status !== 'cancelled') {
    if (!isPending(upload)) throw notPending(upload);
    await endUpload(upload, 'cancelled');
  }
  const ended = await requireUpload(keyId, uploadId);
  if (ended.status !== 'cancelled') throw notPending(ended);
  await eraseRemains(ended, Date.now() + patienceMs);
  return ended;
}
