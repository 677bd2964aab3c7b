import { afterAll, expect, it } from 'vitest';
import { startEventSources } from '../../../lib/local/lambda/event-sources.ts';
import { Functions } from '../../../lib/local/lambda/functions.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import type { Template } from '../../../lib/local/template/template.ts';
import { TinyFunctions } from '../lambda/tiny-functions.ts';

const tiny = new TinyFunctions();
afterAll(() => tiny.close());

/** Starts the event sources of a stack whose worker may do this on its queue. */
function startWith(Action: string[]) {
  const queueArn = { 'Fn::GetAtt': ['queue', 'Arn'] };
  const template: Template = {
    Resources: {
      queue: { Type: 'AWS::SQS::Queue' },
      role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          Policies: [
            { PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource: queueArn }] } },
          ],
        },
      },
      worker: {
        Type: 'AWS::Lambda::Function',
        Properties: { Handler: 'index.handler', Role: { 'Fn::GetAtt': ['role', 'Arn'] } },
        Metadata: { 'aws:asset:path': '/nowhere', 'aws:cdk:path': 'quire/jobs/worker/Resource' },
      },
      mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: queueArn, FunctionName: { Ref: 'worker' } },
      },
    },
  };
  const names = new ResourceNames(template, 'quire-Test');
  const synthesis = { template, assetsDir: '/', stackName: 'quire-Test' };
  const { narrator } = tiny;
  const functions = new Functions(synthesis, names, () => ({}), narrator);
  const dynamodb = { url: 'http://127.0.0.1:9', close: async () => {} } as never;
  const queuesUrl = 'http://127.0.0.1:9';
  return startEventSources({ template, names, functions, dynamodb, queuesUrl, narrator });
}

const needed = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];

it('a function that may read its queue is fed', () => {
  const sources = startWith(needed);

  for (const source of sources) source.stop();
  expect(sources).toHaveLength(1);
});

it.each(needed)('without %s on its queue the stage does not start, as on AWS', (missing) => {
  const granted = needed.filter((action) => action !== missing);

  expect(() => startWith(granted)).toThrow(
    `worker lacks ${missing} on arn:aws:sqs:us-east-1:000000000000:quire-Test-queue.`,
  );
});
