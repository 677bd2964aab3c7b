import { Construct } from 'constructs';
import type { Needs } from './parts.ts';

const file = '/v1/files/{file_id}';
const upload = '/v1/uploads/{upload_id}';

/** The routes of files, and of the uploads that larger ones come by. */
export class FilesApi extends Construct {
  constructor(scope: Construct, id: string, { api, files }: Needs<'api' | 'files'>) {
    super(scope, id);
    const submission = { kind: 'submission' } as const;
    const streamed = { isStreamed: true };
    files.grantCreate(api.endpoint(this, 'create-file', 'POST /v1/files', submission));
    files.grantList(api.endpoint(this, 'list-files', 'GET /v1/files'));
    files.grantFind(api.endpoint(this, 'get-file', `GET ${file}`));
    files.grantDelete(api.endpoint(this, 'delete-file', `DELETE ${file}`));
    files.grantRead(api.endpoint(this, 'get-file-content', `GET ${file}/content`, streamed));
    files.grantUpload(api.endpoint(this, 'create-upload', 'POST /v1/uploads'));
    files.grantAddPart(api.endpoint(this, 'add-upload-part', `POST ${upload}/parts`, submission));
    files.grantComplete(api.endpoint(this, 'complete-upload', `POST ${upload}/complete`, streamed));
    files.grantDelete(api.endpoint(this, 'cancel-upload', `POST ${upload}/cancel`));
  }
}
