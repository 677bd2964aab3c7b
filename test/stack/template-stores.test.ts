import { describe, expect, it } from 'vitest';
import { type Resource, resourcesOf } from '../../lib/local/template/template.ts';
import { all, referencesIn, stackName, template } from '../support/run/stack-template.ts';

const storeTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret'];
const lastingTypes = [...storeTypes, 'AWS::IAM::Role', 'AWS::Logs::LogGroup', 'AWS::SQS::Queue'];
const nameProperties = ['BucketName', 'LogGroupName', 'Name', 'QueueName', 'RoleName', 'TableName'];

/** The bucket of a capability. */
const bucketOf = (name: string) =>
  all('AWS::S3::Bucket').find(([id]) => id.startsWith(name))?.[1] ?? {};

const kept = {
  PublicAccessBlockConfiguration: {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  },
  BucketEncryption: {
    ServerSideEncryptionConfiguration: [
      { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
    ],
  },
};

describe('stores', () => {
  it.each(all('AWS::DynamoDB::GlobalTable'))('%s is on demand and encrypted', (_, table) => {
    expect(table).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      // A key of DynamoDB's own; one of KMS would cost for each use.
      SSESpecification: { SSEEnabled: false },
    });
  });

  it('can be restored, all but the sessions, which are to be forgotten', () => {
    const lost = all('AWS::DynamoDB::GlobalTable').filter(([, { Replicas }]) => {
      const [{ PointInTimeRecoverySpecification }] = Replicas;
      return !PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled;
    });

    expect(lost.map(([id]) => id)).toEqual([expect.stringMatching(/^chatsessions/)]);
  });

  it('forget what has an end', () => {
    const lasting = all('AWS::DynamoDB::GlobalTable').filter(([, { TimeToLiveSpecification }]) => {
      const { AttributeName, Enabled } = TimeToLiveSpecification ?? {};
      return !(AttributeName === 'expires_at' && Enabled);
    });

    expect(lasting.map(([id]) => id)).toEqual([]);
  });

  it('of bodies is private, encrypted and forgets after the jobs do, and what is handed over in a day', () => {
    expect(bucketOf('jobs')).toMatchObject({
      ...kept,
      LifecycleConfiguration: {
        Rules: [
          { ExpirationInDays: 120, Status: 'Enabled' },
          { Prefix: 'handed-over/', ExpirationInDays: 1, Status: 'Enabled' },
        ],
      },
    });
  });

  it('of files is private and encrypted, and forgets nothing but parts that never came to their end', () => {
    expect(bucketOf('files')).toMatchObject(kept);
    expect(bucketOf('files')['LifecycleConfiguration']).toEqual({
      Rules: [{ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' }],
    });
  });

  it('refuse what is not encrypted on its way', () => {
    const policies = [...all('AWS::S3::BucketPolicy'), ...all('AWS::SQS::QueuePolicy')];

    expect(policies).toHaveLength(all('AWS::S3::Bucket').length + all('AWS::SQS::Queue').length);
    for (const [, { PolicyDocument }] of policies) {
      expect(PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    }
  });

  it('outlive the stack, but not a first deploy that fails', () => {
    const resources = [...storeTypes, 'AWS::SQS::Queue'].flatMap((type) =>
      resourcesOf(template, type),
    );
    for (const [, resource] of resources as [string, Resource & { DeletionPolicy?: string }][]) {
      expect(resource.DeletionPolicy).toBe('RetainExceptOnCreate');
    }
  });
});

describe('the stack', () => {
  it('names nothing by itself that it leaves behind: the names would be taken when it is made again', () => {
    const named = Object.entries(template.Resources).filter(
      ([, { Type, Properties = {} }]) =>
        lastingTypes.includes(Type) && nameProperties.some((name) => name in Properties),
    );

    expect(named).toEqual([]);
  });

  it('says what its secrets are called', () => {
    const { OpenaiSecret, GoogleDriveSecret } = template.Outputs ?? {};

    const secrets = all('AWS::SecretsManager::Secret').map(([id]) => id);
    const outputs = [OpenaiSecret, GoogleDriveSecret].map((each) => referencesIn(each?.Value));
    expect(outputs.flat()).toEqual(secrets);
  });

  it('is named after its stage', () => {
    expect(stackName).toBe('quire-prod');
  });

  it('puts out the two URLs and the tables that commands work on', () => {
    const { BaseUrl, ApiUrl, ...tables } = template.Outputs ?? {};

    const [[api] = []] = all('AWS::ApiGateway::RestApi');
    expect(referencesIn(BaseUrl?.Value)).toContain(api);
    expect(ApiUrl).toEqual(BaseUrl);
    expect(JSON.stringify(BaseUrl)).not.toMatch(/\/"\]\]\}\}$/);
    for (const name of [
      'FeedbackTable',
      'JobsTable',
      'KeysTable',
      'LedgerTable',
      'UsageTable',
      'WebhooksTable',
    ]) {
      expect(referencesIn(tables[name]?.Value)[0]).toMatch(new RegExp(`^${name}`, 'i'));
    }
  });

  it.each(['chat', 'ocr', 'folder'])('puts out the two queues of the lane %s', (lane) => {
    const name = `${lane.charAt(0).toUpperCase()}${lane.slice(1)}`;
    const { [`${name}Queue`]: queue, [`${name}DeadLetters`]: dead } = template.Outputs ?? {};

    const [queueId = ''] = referencesIn(queue?.Value);
    const { RedrivePolicy } = new Map(all('AWS::SQS::Queue')).get(queueId) ?? {};
    expect(queueId).toMatch(new RegExp(`^lanes${lane}queue`, 'i'));
    expect(referencesIn(RedrivePolicy)).toEqual(referencesIn(dead?.Value));
  });

  it('holds no secret value', () => {
    const secrets = all('AWS::SecretsManager::Secret').map(([, properties]) => properties);

    expect(secrets).toHaveLength(2);
    for (const { GenerateSecretString, SecretString } of secrets) {
      expect(SecretString).toBeUndefined();
      expect(GenerateSecretString).toBeDefined();
    }
  });
});
