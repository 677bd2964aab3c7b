import { completeUpload } from '../shared/files/complete-upload.ts';
import { CompletionRequest, UploadPath } from '../shared/files/requests.ts';
import { toUploadObject } from '../shared/files/upload.ts';
import { streamEndpoint, streamedJson } from '../shared/http/stream-endpoint.ts';

/** POST /v1/uploads/{upload_id}/complete: it takes minutes to compare the MD5 of gigabytes. */
export const handler = streamEndpoint(
  { body: CompletionRequest, path: UploadPath },
  async ({ body: { part_ids, md5 }, path }, { keyId }) => {
    const completion = { part_ids, md5: md5 ?? undefined };
    const upload = await completeUpload(keyId, path.upload_id, completion);
    return streamedJson(200, await toUploadObject(upload));
  },
);
