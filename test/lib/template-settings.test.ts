import { describe, expect, it } from 'vitest';
import { synthesize } from '../../lib/local/template/synthesize.ts';
import { resourcesOf } from '../../lib/local/template/template.ts';
import type { Properties } from '../support/run/stack-template.ts';
import { useFolder } from '../support/run/use-folder.ts';

/** The stack with all that is off by default. */
const { template } = await synthesize(useFolder(), {
  context: {
    unbundled: true,
    'quire:deletionProtection': true,
  },
});
const all = (type: string): [id: string, properties: Properties][] =>
  resourcesOf(template, type).map(([id, { Properties }]) => [id, Properties]);

describe('with deletion protection', () => {
  it.each(all('AWS::DynamoDB::GlobalTable'))('%s refuses to be deleted', (_, { Replicas }) => {
    expect(Replicas).toEqual([expect.objectContaining({ DeletionProtectionEnabled: true })]);
  });

  it('the bucket keeps what is overwritten as long as tables can be restored, and what is handed over for a day', () => {
    const [[, bucket] = []] = all('AWS::S3::Bucket');

    expect(bucket).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: [
          { ExpirationInDays: 120, NoncurrentVersionExpiration: { NoncurrentDays: 35 } },
          { Prefix: 'handed-over/', NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
        ],
      },
    });
  });
});
