import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { permissionsOf } from '../../lib/local/permissions/policies.ts';
import { ResourceNames } from '../../lib/local/template/resource-names.ts';
import { refuseUnknownTypes } from '../../lib/local/template/resource-types.ts';
import { synthesize } from '../../lib/local/template/synthesize.ts';
import { constructOf, resolve, resourcesOf } from '../../lib/local/template/template.ts';
import { ServiceStack } from '../../lib/stack/service-stack.ts';
import { readSettings } from '../../lib/stack/settings/settings.ts';
import { gatewayErrors } from '../../shared/http/gateway-errors.ts';
import { catalogue } from '../../shared/models/catalogue.ts';
import { everySetting } from '../support/run/every-setting.ts';
import { withNested } from '../support/run/nested-stacks.ts';
import { type Properties, referencesIn, template as usual } from '../support/run/stack-template.ts';
import { useFolder } from '../support/run/use-folder.ts';

/** The stack with all that is off by default. */
const { template, stackName, assetsDir } = await synthesize(useFolder(), {
  context: { ...everySetting, unbundled: true },
});
const all = (type: string): [id: string, properties: Properties][] =>
  resourcesOf(template, type).map(([id, { Properties }]) => [id, Properties]);

it('the local stage can run it, and knows a live version as the function that it is of', () => {
  const names = new ResourceNames(template, stackName);
  for (const [id] of all('AWS::DynamoDB::GlobalTable')) names.set(id, 'StreamArn', `${id}-stream`);

  expect(() => refuseUnknownTypes(template)).not.toThrow();
  expect(permissionsOf(template, names).size).toBe(all('AWS::Lambda::Function').length);
  expect(resolve(template.Outputs, names)).toMatchObject({
    BaseUrl: { Value: 'https://api.example.com' },
  });
  for (const [id, { FunctionName }] of all('AWS::Lambda::Alias')) {
    expect(names.ref(id)).toBe(`${names.getAtt(FunctionName.Ref, 'Arn')}:live`);
  }
});

describe('with deletion protection', () => {
  it.each(all('AWS::DynamoDB::GlobalTable'))('%s refuses to be deleted', (_, { Replicas }) => {
    expect(Replicas).toEqual([expect.objectContaining({ DeletionProtectionEnabled: true })]);
  });

  it('the buckets keep what is overwritten as long as tables can be restored, and what is handed over for a day', () => {
    const bucketOf = (name: string) =>
      all('AWS::S3::Bucket').find(([id]) => id.startsWith(name))?.[1];

    expect(bucketOf('files')).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: { Rules: [{ NoncurrentVersionExpiration: { NoncurrentDays: 35 } }] },
    });
    expect(bucketOf('jobs')).toMatchObject({
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

describe('with several sweeps', () => {
  const rules = all('AWS::Events::Rule').filter(
    ([, { ScheduleExpression }]) => ScheduleExpression === 'rate(1 minute)',
  );
  const [[, fn] = []] = resourcesOf(template, 'AWS::Lambda::Function').filter(
    ([id, resource]) => constructOf(id, resource) === 'sweep',
  );

  it('each is started once a minute, and told which of them it is', () => {
    const targets = rules.flatMap(([, { Targets }]) => Targets as { Input: string }[]);

    expect(targets.map(({ Input }) => JSON.parse(Input))).toEqual(
      Array.from({ length: 16 }, (_, sweep) => ({ sweep, of: 16 })),
    );
  });

  it('no rule has more targets than EventBridge takes', () => {
    expect(rules.map(([, { Targets }]) => Targets.length)).toEqual([5, 5, 5, 1]);
  });

  it('all run at once, with a processor each', () => {
    expect(fn?.Properties).toMatchObject({ ReservedConcurrentExecutions: 16, MemorySize: 1769 });
  });
});

describe('with a canary', () => {
  const guarded = [
    'authorize-request',
    'create-chat-completion',
    'create-message',
    'create-response',
    'dispatch-jobs',
    'expand-folder',
    'run-chat-job',
    'run-ocr-job',
  ];
  const aliases = new Map(
    resourcesOf(template, 'AWS::Lambda::Alias').map(([id, { Properties }]) => {
      const [fn = ''] = referencesIn(Properties?.['FunctionName']);
      return [id, constructOf(fn, template.Resources[fn] ?? { Type: '' })];
    }),
  );
  const resources = Object.entries(template.Resources);

  it('each of the functions has a version that is live, and a group that takes it back', () => {
    expect([...aliases.values()].sort()).toEqual(guarded);
    const groups = new Map(all('AWS::CodeDeploy::DeploymentGroup'));
    for (const [, resource] of resourcesOf(template, 'AWS::Lambda::Alias')) {
      const { UpdatePolicy } = resource as { UpdatePolicy?: Properties };
      const { Ref = '' } = UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName ?? {};
      expect(groups.get(Ref)).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AlarmConfiguration: { Enabled: true },
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
      });
    }
  });

  it('nothing calls these functions beside their live version', () => {
    const callers = ['ApiGateway::Method', 'ApiGateway::Authorizer', 'Lambda::EventSourceMapping'];
    const called = resources
      .filter(([, { Type }]) => callers.includes(Type.replace('AWS::', '')))
      .flatMap(([, { Properties = {} }]) => {
        const { Integration, AuthorizerUri, FunctionName } = Properties as Properties;
        return referencesIn(Integration?.Uri ?? AuthorizerUri ?? FunctionName);
      });
    const permitted = all('AWS::Lambda::Permission').flatMap(([, { FunctionName }]) =>
      referencesIn(FunctionName),
    );

    for (const ids of [called, permitted]) {
      const names = ids.map((id) => constructOf(id, template.Resources[id] ?? { Type: '' }));
      expect(names.filter((_, index) => !aliases.has(ids[index] ?? ''))).not.toEqual(
        expect.arrayContaining([expect.stringMatching(`^(${guarded.join('|')})$`)]),
      );
    }
    expect([...new Set(called.filter((id) => aliases.has(id)))]).toHaveLength(aliases.size);
    expect(permitted.filter((id) => aliases.has(id)).length).toBeGreaterThan(1);
  });

  it('event sources are those that there were: a new one would read its stream from the beginning', () => {
    const ids = (of: typeof template) =>
      resourcesOf(of, 'AWS::Lambda::EventSourceMapping').map(([id]) => id);

    expect(ids(template)).toEqual(ids(usual));
  });

  it('alarms name their section of the runbook, and watch the new version alone', () => {
    const runbook = readFileSync('lib/RUNBOOK.md', 'utf8');
    const alarms = all('AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith('canary'));

    expect(alarms).toHaveLength(guarded.length + 3);
    for (const [, { AlarmDescription, Dimensions }] of alarms) {
      expect(runbook).toContain(`\n## ${AlarmDescription.match(/Runbook: (.+)\.$/)[1]}\n`);
      if (!Dimensions) continue;
      const { Value } = Dimensions.find(({ Name }: Properties) => Name === 'ExecutedVersion');
      expect(template.Resources[referencesIn(Value)[0] ?? '']?.Type).toBe('AWS::Lambda::Version');
    }
  });
});

describe('with a key of the operator’s own', () => {
  const key = everySetting['quire:kmsKey'];

  it('it encrypts all that keeps data', () => {
    const encrypted: Record<string, (properties: Properties) => unknown> = {
      'AWS::DynamoDB::GlobalTable': ({ SSESpecification, Replicas }) =>
        SSESpecification.SSEType === 'KMS' && Replicas[0].SSESpecification.KMSMasterKeyId,
      'AWS::Logs::LogGroup': ({ KmsKeyId }) => KmsKeyId,
      'AWS::S3::Bucket': ({ BucketEncryption }) =>
        BucketEncryption.ServerSideEncryptionConfiguration[0].ServerSideEncryptionByDefault
          .KMSMasterKeyID,
      'AWS::SQS::Queue': ({ KmsMasterKeyId, SqsManagedSseEnabled }) =>
        SqsManagedSseEnabled === undefined && KmsMasterKeyId,
      'AWS::SecretsManager::Secret': ({ KmsKeyId }) => KmsKeyId,
    };
    for (const [type, keyOf] of Object.entries(encrypted)) {
      expect(all(type).length, type).toBeGreaterThan(0);
      for (const [id, properties] of all(type)) expect(keyOf(properties), id).toBe(key);
    }
  });

  const statementsOf = (name: string) => {
    const [, { Properties: fn } = {}] =
      resourcesOf(template, 'AWS::Lambda::Function').find(
        ([id, resource]) => constructOf(id, resource) === name,
      ) ?? [];
    const [role] = referencesIn(fn?.['Role']);
    return all('AWS::IAM::Role')
      .filter(([id]) => id === role)
      .flatMap(([, { Policies }]) => Policies)
      .flatMap(({ PolicyDocument }: Properties) => PolicyDocument.Statement as Properties[])
      .filter(({ Action }) => JSON.stringify(Action).includes('kms:'));
  };

  const writeItem = [
    ...['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
    ...['kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
  ];

  it.each<[string, unknown, string[]]>([
    ['get-stats', 'kms:Decrypt', ['dynamodb']],
    ['get-job', 'kms:Decrypt', ['dynamodb', 's3']],
    ['search-drive', ['kms:Decrypt', 'kms:GenerateDataKey'], ['s3', 'secretsmanager']],
    ['create-chat-completion', writeItem, ['dynamodb', 's3', 'secretsmanager', 'sqs']],
    ['get-file-content', 'kms:Decrypt', ['dynamodb', 's3']],
    ['add-upload-part', writeItem, ['dynamodb', 's3']],
    ['sweep', writeItem, ['dynamodb', 's3', 'sqs']],
  ])('%s may use it as far as it needs, through what keeps its data', (name, actions, services) => {
    const [statement, ...others] = statementsOf(name);

    expect(others).toEqual([]);
    expect(statement).toMatchObject({ Action: actions, Resource: key });
    const via = [statement.Condition.StringEquals['kms:ViaService']].flat();
    expect(via.map((each: Properties) => each['Fn::Join'][1][0].split('.')[0])).toEqual(services);
  });

  it.each(['read-page', 'post-webhook', 'get-docs'])('%s may not use it', (name) => {
    expect(statementsOf(name)).toEqual([]);
  });
});

describe('with a domain', () => {
  it('the API is served under it, with TLS 1.2 at least, and the outputs say where', () => {
    const [[id, domain] = []] = all('AWS::ApiGateway::DomainName');
    const [[, mapping] = []] = all('AWS::ApiGateway::BasePathMapping');

    expect(domain).toMatchObject({
      DomainName: 'api.example.com',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      RegionalCertificateArn: everySetting['quire:certificate'],
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
    });
    expect(mapping.BasePath).toBeUndefined();
    expect(referencesIn(mapping)).toContain(id);
    expect(template.Outputs).toMatchObject({
      BaseUrl: { Value: 'https://api.example.com' },
      DomainTarget: { Value: { 'Fn::GetAtt': [id, 'RegionalDomainName'] } },
    });
  });
});

describe('tags', () => {
  const untaggable = [
    ...['AWS::ApiGateway::Account', 'AWS::ApiGateway::Authorizer', 'AWS::ApiGateway::Deployment'],
    ...['AWS::ApiGateway::BasePathMapping', 'AWS::ApiGateway::GatewayResponse'],
    ...['AWS::ApiGateway::Method', 'AWS::ApiGateway::Resource', 'AWS::CloudWatch::Dashboard'],
    ...['AWS::Lambda::Alias', 'AWS::Lambda::EventInvokeConfig'],
    ...['AWS::Lambda::Permission', 'AWS::Lambda::Version', 'AWS::S3::BucketPolicy'],
    ...[
      'AWS::SNS::Subscription',
      'AWS::SNS::TopicPolicy',
      'AWS::SQS::QueuePolicy',
      'AWS::WAFv2::WebACLAssociation',
    ],
  ];
  const tagged = (of: typeof template) =>
    Object.entries(of.Resources).filter(([, { Type }]) => !untaggable.includes(Type));

  const tagsOf = ({ Tags, Replicas }: Properties) => Tags ?? Replicas?.[0].Tags;

  it.each(tagged(usual))('%s has those of the service and the stage', (_, { Properties }) => {
    const tags = [
      { Key: 'service', Value: 'quire' },
      { Key: 'stage', Value: 'prod' },
    ];

    expect(tagsOf(Properties)).toEqual(expect.arrayContaining(tags));
  });

  it('a dashboard has none, which its schema may not know', () => {
    for (const [id, properties] of all('AWS::CloudWatch::Dashboard')) {
      expect(properties.Tags, id).toBeUndefined();
    }
  });

  it('all have those that the operator wants too', () => {
    for (const [id, { Properties }] of tagged(template)) {
      expect(tagsOf(Properties), id).toContainEqual({ Key: 'team', Value: 'search' });
    }
  });
});

it('a stack with every setting leaves room for sixty resources of 500', () => {
  expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(440);
});

it('its resources depend on each other in no circle', () => {
  const under = new Set<string>();
  const done = new Set<string>();
  const visit = (id: string) => {
    if (done.has(id)) return;
    expect(under, id).not.toContain(id);
    under.add(id);
    const { Metadata: _, ...resource } = template.Resources[id] as Properties;
    for (const each of [...referencesIn(resource), ...[resource.DependsOn ?? []].flat()]) {
      if (template.Resources[each]) visit(each);
    }
    under.delete(id);
    done.add(id);
  };

  for (const id of Object.keys(template.Resources)) visit(id);
});

it('each function that may hold money knows the ceiling of all keys, and an alarm tells of it', () => {
  const environments = all('AWS::Lambda::Function')
    .map(([, { Environment }]) => Environment?.Variables ?? {})
    .filter((variables) => variables.LEDGER_TABLE);

  expect(environments.length).toBeGreaterThan(10);
  for (const variables of environments) expect(variables.DAY_CEILING_USD).toBe('1000');
  expect(resourcesOf(withNested(template, assetsDir), 'AWS::CloudWatch::Alarm')).toContainEqual([
    expect.any(String),
    expect.objectContaining({
      Properties: expect.objectContaining({
        Threshold: 80,
        AlarmDescription: expect.stringMatching(/ Runbook: Day ceiling\.$/),
      }),
    }),
  ]);
});

describe('any two settings', { tags: 'exhaustive' }, () => {
  const pairs = Object.entries(everySetting).flatMap(([one, value], index) =>
    Object.entries(everySetting)
      .slice(index + 1)
      .map(([other, more]) => ({ [one]: value, [other]: more })),
  );

  it.each(
    pairs.filter(fitEachOther).map((context) => [Object.keys(context).join(' and '), context]),
  )('%s make a stack', (_, context) => {
    const app = new App({ context: { ...context, unbundled: true }, outdir: useFolder() });
    const settings = readSettings(app.node);

    new ServiceStack(app, 'test', { settings, catalogue, gatewayErrors });

    expect(() => app.synth()).not.toThrow();
  });
});

/** A domain and its certificate need each other. */
function fitEachOther(context: object): boolean {
  return 'quire:domain' in context === 'quire:certificate' in context;
}
