import { PartForm, UploadPath } from '../shared/files/requests.ts';
import { addUploadPart } from '../shared/files/upload-part.ts';
import { formEndpoint } from '../shared/http/form-endpoint.ts';

/** POST /v1/uploads/{upload_id}/parts */
export const handler = formEndpoint(
  { body: PartForm, path: UploadPath },
  ({ body, path }, { keyId }) => addUploadPart(keyId, path.upload_id, body.data.bytes),
);
