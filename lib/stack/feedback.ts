import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import { index, keyed, ServiceTable } from './base/service-table.ts';
import type { ServiceApi } from './gateway/service-api.ts';

export interface FeedbackProps {
  readonly api: ServiceApi;
}

/** The table of ratings, its indexes by day and by session, which leave out the rated texts, and the routes to rate and to read ratings again. */
export class Feedback extends Construct {
  readonly table: ServiceTable;

  constructor(scope: Construct, id: string, { api }: FeedbackProps) {
    super(scope, id);
    this.table = new ServiceTable(this, 'table', {
      ...keyed('key_id', 'entry'),
      globalSecondaryIndexes: [
        index('days', 'day', 'created_at', 'all'),
        // To find what was said of a session. A text that was rated lies beside its rating, and names no session.
        index('sessions', 'key_id', 'session_id'),
      ],
    });
    const endpoint = (name: string, method: string) => {
      const fn = new ServiceFunction(this, name, {
        description: `${method} /feedback`,
        timeout: Duration.seconds(25),
      });
      fn.addEnvironment('FEEDBACK_TABLE', this.table.tableName);
      api.route(method, '/feedback', fn);
      return fn;
    };
    const submitFeedback = endpoint('submit-feedback', 'POST');
    this.table.allow(submitFeedback, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    const listFeedback = endpoint('list-feedback', 'GET');
    this.table.allowQuery(listFeedback, 'sessions');
    this.table.allow(listFeedback, 'dynamodb:BatchGetItem');
  }

  /** Lets a function erase what a key has said of a session. */
  grantErase(fn: LambdaFunction): void {
    this.table.allowQuery(fn, 'sessions');
    this.table.allow(fn, 'dynamodb:DeleteItem');
    fn.addEnvironment('FEEDBACK_TABLE', this.table.tableName);
  }
}
