import { FileListQuery, listFiles } from '../shared/files/list-files.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** GET /v1/files */
export const handler = jsonEndpoint({ query: FileListQuery }, ({ query }, { keyId }) =>
  listFiles(keyId, query),
);
