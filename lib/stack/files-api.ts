import { Construct } from 'constructs';
import type { FileUse } from './file-store.ts';
import type { Needs } from './parts.ts';

const file = '/v1/files/{file_id}';
const upload = '/v1/uploads/{upload_id}';

/** The routes of files, and of the uploads that larger ones come by. */
export class FilesApi extends Construct {
  constructor(scope: Construct, id: string, { api, files }: Needs<'api' | 'files'>) {
    super(scope, id);
    const submission = { kind: 'submission' } as const;
    const streamed = { isStreamed: true };
    const add = (use: FileUse, name: string, route: string, how = {}) =>
      files.grant(api.endpoint(this, name, route, how), use);
    add('create', 'create-file', 'POST /v1/files', submission);
    add('list', 'list-files', 'GET /v1/files');
    add('find', 'get-file', `GET ${file}`);
    add('delete', 'delete-file', `DELETE ${file}`);
    add('read', 'get-file-content', `GET ${file}/content`, streamed);
    add('beginUpload', 'create-upload', 'POST /v1/uploads');
    add('addPart', 'add-upload-part', `POST ${upload}/parts`, submission);
    add('complete', 'complete-upload', `POST ${upload}/complete`, streamed);
    add('delete', 'cancel-upload', `POST ${upload}/cancel`);
  }
}
