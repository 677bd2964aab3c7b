import { Duration } from 'aws-cdk-lib';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import { keyed, ServiceTable } from './base/service-table.ts';
import { StreamFeed } from './base/stream-feed.ts';
import type { Needs } from './parts.ts';

type UsageProps = Needs<'api' | 'jobs' | 'ledger'>;

/** What keys have used: a table of sums, kept up to date by the ledger's stream, and the routes to read it. */
export class Usage extends Construct {
  readonly table: ServiceTable;
  private readonly props: UsageProps;

  constructor(scope: Construct, id: string, props: UsageProps) {
    super(scope, id);
    this.props = props;
    this.table = new ServiceTable(this, 'table', {
      variable: 'USAGE_TABLE',
      ...keyed('key_id', 'entry'),
    });
    this.addRollUp();
    this.table.allow(props.api.endpoint(this, 'get-stats', 'GET /user/stats'), 'Query');
    const getBatchStats = props.api.endpoint(this, 'get-batch-stats', 'GET /user/batch-stats');
    this.table.allow(getBatchStats, 'Query');
    props.jobs.grant(getBatchStats, 'count');
  }

  private addRollUp(): void {
    const { ledger } = this.props;
    const rollUpUsage = new ServiceFunction(this, 'roll-up-usage', {
      description: 'Adds each charge that ended to the usage of its key',
      timeout: Duration.seconds(30),
    });
    this.table.allow(rollUpUsage, 'GetItem', 'BatchGetItem', 'UpdateItem');
    new StreamFeed(this, 'charges', {
      table: ledger.table,
      fn: rollUpUsage,
      patterns: [
        { dynamodb: { NewImage: { status: { S: FilterRule.or('settled', 'released') } } } },
      ],
      // Charges of one key that come together are added to its usage by one write. Figures are 2 s old at most.
      gatheredFor: Duration.seconds(1),
      alarmText: {
        notices: 'Usage statistics lack some calls; budgets do not',
        todo: 'for each key that roll-up-usage logs as not counted, run npm run usage -- rebuild, then purge the queue',
        essential: true,
      },
      latenessText: {
        notices: 'Usage statistics are minutes behind; budgets are not',
        todo: 'nothing is lost; see whether roll-up-usage fails or is throttled',
      },
    });
  }
}
