import { deleteCallersFile } from '../shared/files/delete-file.ts';
import { FilePath } from '../shared/files/requests.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** DELETE /v1/files/{file_id} */
export const handler = jsonEndpoint({ path: FilePath }, ({ path }, { keyId }) =>
  deleteCallersFile(keyId, path.file_id),
);
