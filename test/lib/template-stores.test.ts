import { describe, expect, test } from 'vitest';
import { type Resource, resourcesOf } from '../../lib/local/template.ts';
import { all, only, referencesIn, stackName, template } from '../support/stack-template.ts';

describe('stores', () => {
  test.each(all('AWS::DynamoDB::GlobalTable'))(
    '%s is on demand, encrypted, restorable, and forgets',
    (_, table) => {
      expect(table).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
        Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
      });
    },
  );

  test('of bodies is private, encrypted and forgets after the jobs do', () => {
    const bucket = only('AWS::S3::Bucket');

    expect(bucket).toMatchObject({
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
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 120, Status: 'Enabled' }] },
    });
  });

  test('refuse what is not encrypted on its way', () => {
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

  test('outlive the stack', () => {
    const kept = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret'];

    const resources = kept.flatMap((type) => resourcesOf(template, type));
    for (const [, resource] of resources as [string, Resource & { DeletionPolicy?: string }][]) {
      expect(resource.DeletionPolicy).toBe('Retain');
    }
  });
});

describe('the stack', () => {
  test('is named after its stage', () => {
    expect(stackName).toBe('quire-prod');
  });

  test('puts out the two URLs and the table of keys', () => {
    const { BaseUrl, ApiUrl, KeysTable } = template.Outputs ?? {};

    const [[api] = []] = all('AWS::ApiGateway::RestApi');
    expect(referencesIn(BaseUrl?.Value)).toContain(api);
    expect(ApiUrl).toEqual(BaseUrl);
    expect(JSON.stringify(BaseUrl)).not.toMatch(/\/"\]\]\}\}$/);
    expect(referencesIn(KeysTable?.Value)[0]).toMatch(/^keystable/);
  });

  test('holds no secret value', () => {
    const { GenerateSecretString, SecretString } = only('AWS::SecretsManager::Secret');

    expect(SecretString).toBeUndefined();
    expect(GenerateSecretString).toBeDefined();
  });
});
