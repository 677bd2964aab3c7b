import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { index, keyed, ServiceTable } from './base/service-table.ts';
import type { ServiceApi } from './gateway/service-api.ts';

/** The table of ratings, its indexes by day and by session, which leave out the rated texts, and the routes to rate and to read ratings again. */
export class Feedback extends Construct {
  readonly table: ServiceTable;

  constructor(scope: Construct, id: string, api: ServiceApi) {
    super(scope, id);
    this.table = new ServiceTable(this, 'table', {
      variable: 'FEEDBACK_TABLE',
      ...keyed('key_id', 'entry'),
      globalSecondaryIndexes: [
        index('days', 'day', 'created_at', 'all'),
        // To find what was said of a session. A text that was rated lies beside its rating, and names no session.
        index('sessions', 'key_id', 'session_id'),
      ],
    });
    const submitFeedback = api.endpoint(this, 'submit-feedback', 'POST /feedback');
    this.table.allow(submitFeedback, 'PutItem', 'UpdateItem');
    const listFeedback = api.endpoint(this, 'list-feedback', 'GET /feedback');
    this.table.allow(listFeedback, 'Query/sessions', 'BatchGetItem');
  }

  /** Lets a function erase what a key has said of a session. */
  grantErase(fn: LambdaFunction): void {
    this.table.allow(fn, 'Query/sessions', 'DeleteItem');
  }
}
