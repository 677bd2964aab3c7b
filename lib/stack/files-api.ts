import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import type { FileStore } from './file-store.ts';
import type { ServiceApi } from './gateway/service-api.ts';
import type { RouteKind } from './settings/request-rates.ts';

export interface FilesApiProps {
  readonly api: ServiceApi;
  readonly files: FileStore;
}

/** The longest that the gateway allows for a streamed answer. */
const maxAnswerTime = Duration.minutes(15);

const file = '/v1/files/{file_id}';
const upload = '/v1/uploads/{upload_id}';

/** The routes of files, and of the uploads that larger ones come by. */
export class FilesApi extends Construct {
  private readonly props: FilesApiProps;

  constructor(scope: Construct, id: string, props: FilesApiProps) {
    super(scope, id);
    this.props = props;
    const { files } = props;
    files.grantCreate(this.endpoint('create-file', 'POST', '/v1/files', 'submission'));
    files.grantList(this.endpoint('list-files', 'GET', '/v1/files'));
    files.grantFind(this.endpoint('get-file', 'GET', file));
    files.grantDelete(this.endpoint('delete-file', 'DELETE', file));
    files.grantRead(this.streamed('get-file-content', 'GET', `${file}/content`));
    files.grantUpload(this.endpoint('create-upload', 'POST', '/v1/uploads'));
    files.grantAddPart(this.endpoint('add-upload-part', 'POST', `${upload}/parts`, 'submission'));
    files.grantComplete(this.streamed('complete-upload', 'POST', `${upload}/complete`));
    files.grantDelete(this.endpoint('cancel-upload', 'POST', `${upload}/cancel`));
  }

  private endpoint(name: string, method: string, path: string, kind?: RouteKind): ServiceFunction {
    const fn = this.function(name, method, path, Duration.seconds(25));
    this.props.api.route(method, path, fn, kind);
    return fn;
  }

  private streamed(name: string, method: string, path: string): ServiceFunction {
    const fn = this.function(name, method, path, maxAnswerTime);
    this.props.api.routeStreamed(method, path, fn, maxAnswerTime);
    return fn;
  }

  private function(name: string, method: string, path: string, timeout: Duration): ServiceFunction {
    return new ServiceFunction(this, name, { description: `${method} ${path}`, timeout });
  }
}
