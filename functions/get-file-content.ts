import { fileContent } from '../shared/files/file-content.ts';
import { FilePath, RangeHeader } from '../shared/files/requests.ts';
import { streamEndpoint } from '../shared/http/stream-endpoint.ts';

/** GET /v1/files/{file_id}/content */
export const handler = streamEndpoint(
  { path: FilePath, header: RangeHeader },
  ({ path, header }, { keyId }) => fileContent(keyId, path.file_id, header.range),
);
