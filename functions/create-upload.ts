import { UploadRequest } from '../shared/files/requests.ts';
import { createUpload, toUploadObject } from '../shared/files/upload.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** POST /v1/uploads */
export const handler = jsonEndpoint(
  { body: UploadRequest },
  async ({ body: { expires_after, ...upload } }, { keyId }) => {
    const asked = { ...upload, expiresAfterSeconds: expires_after?.seconds };
    return toUploadObject(await createUpload(keyId, asked));
  },
);
