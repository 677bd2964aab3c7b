import { cancelUpload } from '../shared/files/cancel-upload.ts';
import { UploadPath } from '../shared/files/requests.ts';
import { toUploadObject } from '../shared/files/upload.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** POST /v1/uploads/{upload_id}/cancel */
export const handler = jsonEndpoint({ path: UploadPath }, async ({ path }, { keyId }) =>
  toUploadObject(await cancelUpload(keyId, path.upload_id)),
);
