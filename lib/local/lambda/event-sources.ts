import type { CreateEventSourceMappingRequest } from '@aws-sdk/client-lambda';
import type { DynamoDbEngine } from '../dynamodb/dynoxide.ts';
import type { Narrator } from '../narrator.ts';
import { findGrant } from '../permissions/policies.ts';
import { StageError } from '../stage-error.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { resolve, resourcesOf, type Template } from '../template/template.ts';
import type { FunctionHost } from './function-host.ts';
import type { Functions } from './functions.ts';
import { QueuePoller } from './queue-poller.ts';
import { StreamPoller } from './stream-poller.ts';

/** Something that feeds a function until it is stopped. */
export interface EventSource {
  stop(): void;
}

type Mapping = CreateEventSourceMappingRequest & { EventSourceArn: string; FunctionName: string };

export interface EventSourceOptions {
  template: Template;
  names: ResourceNames;
  functions: Functions;
  dynamodb: DynamoDbEngine;
  queuesUrl: string;
  narrator: Narrator;
}

/** Starts the template's event source mappings. */
export function startEventSources(options: EventSourceOptions): EventSource[] {
  const { template, names, functions, dynamodb, queuesUrl, narrator } = options;
  const queueUrls = new Map(
    resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => [
      names.getAtt(id, 'Arn'),
      names.ref(id),
    ]),
  );
  return resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([id, { Properties }]) => {
    const mapping = resolve(Properties, names) as Mapping;
    const fn = functions.find(mapping.FunctionName);
    const { EventSourceArn } = mapping;
    refuseWithoutGrants(fn, mapping);
    if (EventSourceArn.includes(':dynamodb:')) {
      return new StreamPoller({
        dynamodbUrl: dynamodb.url,
        queuesUrl,
        streamArn: EventSourceArn,
        batchSize: mapping.BatchSize ?? 100,
        gatheringMs: (mapping.MaximumBatchingWindowInSeconds ?? 0) * 1000,
        maxRetries: mapping.MaximumRetryAttempts ?? 10_000,
        filters: mapping.FilterCriteria?.Filters?.flatMap(({ Pattern }) => Pattern ?? []) ?? [],
        failureQueueUrl: queueUrls.get(mapping.DestinationConfig?.OnFailure?.Destination ?? ''),
        function: fn,
        follower: dynamodb.streams?.follow(EventSourceArn),
        narrator,
      });
    }
    const queueUrl = queueUrls.get(EventSourceArn);
    if (!queueUrl) throw new StageError(`The event source of ${id} is not one of the template's.`);
    return new QueuePoller({
      url: queuesUrl,
      queueUrl,
      queueArn: EventSourceArn,
      batchSize: mapping.BatchSize ?? 10,
      maxConcurrency: mapping.ScalingConfig?.MaximumConcurrency ?? 10,
      function: fn,
      narrator,
    });
  });
}

/**
 * Throws `StageError` if a function's role lacks what Lambda needs to feed it: Lambda reads as the function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-permissions.html
 */
function refuseWithoutGrants({ config }: FunctionHost, mapping: Mapping): void {
  const { EventSourceArn, DestinationConfig } = mapping;
  const [service, actions] = EventSourceArn.includes(':dynamodb:')
    ? ['dynamodb', ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams']]
    : ['sqs', ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage']];
  const failures = DestinationConfig?.OnFailure?.Destination;
  const required = [
    ...(actions as string[]).map((action) => [`${service}:${action}`, EventSourceArn]),
    ...(failures ? [['sqs:SendMessage', failures]] : []),
  ];
  for (const [action = '', resource = ''] of required) {
    if (findGrant(config.permissions.grants, action, resource)) continue;
    throw new StageError(`${config.name} lacks ${action} on ${resource}.`);
  }
}
