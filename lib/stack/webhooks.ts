import { Duration, Stack } from 'aws-cdk-lib';
import { StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import { FilterRule, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { allow } from './base/permissions.ts';
import { ServiceFunction } from './base/service-function.ts';
import { index, keyed, ServiceTable } from './base/service-table.ts';
import { StreamFeed } from './base/stream-feed.ts';
import type { Ledger } from './ledger.ts';

export interface WebhooksProps {
  readonly ledger: Ledger;
  /** Whether all events go to the account's default event bus too. */
  readonly publishes: boolean;
}

/**
 * Webhooks: receivers and events, the function that notes spending, the one that has events sent, and the one that
 * posts them, which has no permission.
 */
export class Webhooks extends Construct {
  readonly table: ServiceTable;
  private readonly props: WebhooksProps;

  constructor(scope: Construct, id: string, props: WebhooksProps) {
    super(scope, id);
    this.props = props;
    this.table = new ServiceTable(this, 'table', {
      variable: 'WEBHOOKS_TABLE',
      ...(props.publishes && { variables: { EVENT_SOURCE: Stack.of(this).stackName } }),
      ...keyed('key_id', 'entry'),
      globalSecondaryIndexes: [index('due', 'due_lane', 'due_at')],
      dynamoStream: StreamViewType.NEW_IMAGE,
    });
    this.addWatchSpend();
    this.addDelivery();
  }

  private addWatchSpend(): void {
    const { ledger, publishes } = this.props;
    const watchSpend = new ServiceFunction(this, 'watch-spend', {
      description: 'Notes each part of its budget that an account has spent',
      timeout: Duration.seconds(30),
    });
    this.grantNote(watchSpend);
    ledger.grant(watchSpend, 'read');
    const isAccount = { entry: { S: FilterRule.isEqual('account') } };
    const isWatched = { watched: { BOOL: FilterRule.exists() } };
    new StreamFeed(this, 'spend', {
      table: ledger.table,
      fn: watchSpend,
      // Accounts without a webhook cost nothing, unless all events are published.
      patterns: [
        { dynamodb: { NewImage: publishes ? isAccount : { ...isAccount, ...isWatched } } },
      ],
      gatheredFor: Duration.seconds(1),
      alarmText: {
        notices: 'Webhooks were not told of some spent budgets; budgets hold all the same',
        todo: 'find the error in the logs of watch-spend, then purge the queue',
      },
      latenessText: {
        notices: 'Webhooks are told minutes late of spent budgets',
        todo: 'nothing is lost; see whether watch-spend fails or is throttled',
      },
    });
  }

  private addDelivery(): void {
    const { publishes } = this.props;
    const deliverEvents = new ServiceFunction(this, 'deliver-events', {
      description: 'Signs events, has them posted to webhooks, and keeps what came of it',
      // Two rounds of messages, of ten seconds each.
      timeout: Duration.seconds(60),
    });
    this.table.allow(deliverEvents, 'GetItem', 'UpdateItem');
    this.allowPost(deliverEvents);
    if (publishes) allowPublish(deliverEvents);
    new StreamFeed(this, 'events', {
      table: this.table,
      fn: deliverEvents,
      patterns: [{ dynamodb: { NewImage: { wanted: { BOOL: FilterRule.exists() } } } }],
      // A receiver that takes its time holds up its own key's events, and few others'.
      inParallel: true,
      alarmText: {
        notices: 'Webhooks get some events minutes late',
        todo: 'nothing is lost, the sweep wants them again; find the error in the logs of deliver-events, then purge the queue',
      },
      latenessText: {
        notices: 'Webhooks get events minutes late',
        todo: 'see whether deliver-events fails or is throttled, and which receivers hang',
      },
    });
  }

  /** Operators choose the addresses, often for others: what posts to them can do nothing else. */
  private allowPost(fn: LambdaFunction): void {
    const postWebhook = new ServiceFunction(this, 'post-webhook', {
      description: 'Posts signed messages for another function',
      timeout: Duration.seconds(20),
    });
    postWebhook.letInvoke(fn);
  }

  /** Lets a function note events of accounts that somebody listens to. */
  grantNote(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem', 'PutItem');
  }

  /** Lets a function find the events that are due, and want them again. */
  grantSweep(fn: LambdaFunction): void {
    this.table.allow(fn, 'UpdateItem', 'Query/due');
  }
}

/** Lets a function put events on the account's default event bus. */
function allowPublish(fn: LambdaFunction): void {
  const eventBus = { service: 'events', resource: 'event-bus', resourceName: 'default' };
  allow(fn, ['events:PutEvents'], Stack.of(fn).formatArn(eventBus));
}
