import { toFileObject } from '../shared/files/file.ts';
import { requireFile } from '../shared/files/find-file.ts';
import { FilePath } from '../shared/files/requests.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** GET /v1/files/{file_id} */
export const handler = jsonEndpoint({ path: FilePath }, async ({ path }, { keyId }) =>
  toFileObject(await requireFile(keyId, path.file_id)),
);
