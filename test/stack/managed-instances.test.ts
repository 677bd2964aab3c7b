import { expect, it } from 'vitest';
import { synthesize } from '../../lib/local/template/synthesize.ts';
import { constructOf, resourcesOf } from '../../lib/local/template/template.ts';
import { useFolder } from '../support/run/use-folder.ts';

const capacityProviderArn = 'arn:aws:lambda:us-east-1:000000000000:capacity-provider:quire';

const { template } = await synthesize(useFolder(), {
  context: {
    'quire:managedInstances': capacityProviderArn,
    'quire:reservedConcurrency': true,
    unbundled: true,
  },
});

const functions = new Map(
  resourcesOf(template, 'AWS::Lambda::Function').map(([id, resource]) => [
    constructOf(id, resource),
    resource.Properties ?? {},
  ]),
);

it.each(['create-chat-completion', 'create-response', 'create-message', 'stream-chat'])(
  '%s runs on the machines of the capacity provider, and its calls share leases',
  (name) => {
    const properties = functions.get(name);

    expect(properties).toMatchObject({
      CapacityProviderConfig: {
        LambdaManagedInstancesCapacityProviderConfig: {
          CapacityProviderArn: capacityProviderArn,
          PerExecutionEnvironmentMaxConcurrency: 64,
        },
      },
      PublishToLatestPublished: true,
      MemorySize: 2048,
      Environment: { Variables: { LEASES: 'on' } },
    });
    expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
  },
);

it('all others run as ever, and hold each call by itself', () => {
  const others = [...functions].filter(([, { Environment }]) => {
    const { Variables } = Environment as { Variables: object };
    return !('LEASES' in Variables);
  });

  expect(others).toHaveLength(functions.size - 4);
  for (const [, properties] of others)
    expect(properties).not.toHaveProperty('CapacityProviderConfig');
});
