import { listFiles } from '../shared/files/list-files.ts';
import { FileListQuery } from '../shared/files/requests.ts';
import { completionError } from '../shared/http/error-response.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /v1/files */
export const handler = jsonEndpoint(
  { query: FileListQuery },
  async ({ query }, { keyId }) => json(200, await listFiles(keyId, query)),
  completionError,
);
