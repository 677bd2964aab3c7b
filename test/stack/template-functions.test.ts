import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  all,
  functionIn,
  functions,
  only,
  type Properties,
  referencesIn,
  template,
} from '../support/run/stack-template.ts';

describe('functions', () => {
  it('are the files in functions/, each deployed once', () => {
    const files = readdirSync('functions').map((file) => basename(file, '.ts'));

    expect(functions.map(({ name }) => name).sort()).toEqual(files.sort());
  });

  it.each(functions)(
    '$name is an ESM bundle with a source map, on arm64 Node 24',
    ({ properties, bundle }) => {
      const code = readFileSync(join(bundle, 'index.mjs'), 'utf8');

      expect(properties).toMatchObject({
        Architectures: ['arm64'],
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Environment: { Variables: { NODE_OPTIONS: '--enable-source-maps' } },
      });
      expect(code).toMatch(/export\{[\w$]+ as handler\}/);
      expect(code).toContain('//# sourceMappingURL=index.mjs.map');
      expect(existsSync(join(bundle, 'index.mjs.map'))).toBe(true);
      const companions = readdirSync(bundle).filter((file) => !file.startsWith('index.mjs'));
      expect(companions.filter((file) => !/\.(wasm|mjs|mjs\.map)$/.test(file))).toEqual([
        'NOTICES.txt',
      ]);
      expect(readFileSync(join(bundle, 'NOTICES.txt'), 'utf8')).toMatch(/valibot|@smithy|@middy/);
    },
  );

  it.each(functions)('$name keeps its logs for 30 days', ({ properties }) => {
    const [logGroup = ''] = referencesIn(properties.LoggingConfig);

    expect(template.Resources[logGroup]).toMatchObject({
      Type: 'AWS::Logs::LogGroup',
      Properties: { RetentionInDays: 30 },
    });
  });

  it('of a route end before the gateway stops waiting, so that their own error is sent', () => {
    for (const [, { Integration }] of all('AWS::ApiGateway::Method')) {
      const { Timeout } = functionIn(Integration.Uri).properties;
      const streams = Integration.TimeoutInMillis === 900_000;
      expect(Timeout).toBeLessThanOrEqual(streams ? 900 : 25);
    }
  });

  it('have parts of the account’s concurrency to themselves: those that wait for models, and those that others wait for', () => {
    const reserved = functions.flatMap(({ name, properties }) =>
      properties.ReservedConcurrentExecutions === undefined
        ? []
        : [[name, properties.ReservedConcurrentExecutions]],
    );

    expect(Object.fromEntries(reserved)).toEqual({
      'authorize-request': 50,
      'create-chat-completion': 150,
      'create-message': 100,
      'create-response': 100,
      'dispatch-jobs': 10,
      'roll-up-usage': 10,
      'stream-chat': 150,
      sweep: 10,
    });
  });

  it('sweep once a minute, and never for a minute that is over', () => {
    const config = only('AWS::Lambda::EventInvokeConfig');

    expect(functionIn(config.FunctionName).name).toBe('sweep');
    expect(config).toMatchObject({ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 });
    const rules = all('AWS::Events::Rule').filter(
      ([, { ScheduleExpression }]) => ScheduleExpression === 'rate(1 minute)',
    );
    expect(rules.map(([, { Targets }]) => Targets.length)).toEqual([1]);
  });

  const stream = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  const consume = ['ChangeMessageVisibility', 'DeleteMessage', 'ReceiveMessage'];
  const queue = ['GetQueueAttributes', 'GetQueueUrl'];
  const work = ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];
  const spend = [
    'ConditionCheckItem',
    'GetItem',
    'PartiQLInsert',
    'PutItem',
    'Query',
    'UpdateItem',
  ];
  const bodies = ['GetObject', 'PutObject'];
  const secrets = ['GetSecretValue'];

  it.each<[string, Record<string, string[]>]>([
    ['authorize-request', { dynamodb: ['GetItem'] }],
    ['cancel-batch', { dynamodb: ['GetItem', 'UpdateItem'] }],
    [
      'book-late-calls',
      {
        dynamodb: ['ConditionCheckItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
        sqs: [...queue, ...consume],
      },
    ],
    ['cancel-job', { dynamodb: ['GetItem', 'Query', 'UpdateItem'] }],
    ...['create-message', 'create-embeddings'].map((name): [string, Record<string, string[]>] => [
      name,
      { dynamodb: spend, secretsmanager: ['GetSecretValue'], sqs: ['SendMessage'] },
    ]),
    ...['create-chat-completion', 'create-response'].map(
      (name): [string, Record<string, string[]>] => [
        name,
        {
          dynamodb: spend,
          s3: ['GetObject'],
          secretsmanager: ['GetSecretValue'],
          sqs: ['SendMessage'],
        },
      ],
    ),
    [
      'dispatch-jobs',
      { dynamodb: ['GetItem', 'PutItem', 'UpdateItem', ...stream], sqs: [...queue, 'SendMessage'] },
    ],
    [
      'deliver-events',
      {
        dynamodb: ['GetItem', 'UpdateItem', ...stream],
        lambda: ['InvokeFunction'],
        sqs: [...queue, 'SendMessage'],
      },
    ],
    ['post-webhook', {}],
    [
      'watch-spend',
      { dynamodb: ['GetItem', 'PutItem', ...stream], sqs: [...queue, 'SendMessage'] },
    ],
    [
      'expand-folder',
      {
        dynamodb: work,
        s3: ['GetObject', 'PutObject'],
        secretsmanager: secrets,
        sqs: [...queue, ...consume],
      },
    ],
    ['get-console', {}],
    ['get-docs', {}],
    ['get-batch-stats', { dynamodb: ['Query'] }],
    [
      'get-health',
      { dynamodb: spend, secretsmanager: secrets, sqs: ['GetQueueAttributes', 'SendMessage'] },
    ],
    ['get-index', {}],
    ['get-job', { dynamodb: ['GetItem'], s3: ['GetObject'] }],
    ['get-job-page', { dynamodb: ['GetItem'], s3: ['GetObject'] }],
    ['get-openapi', {}],
    ['get-limits', { dynamodb: ['GetItem'] }],
    ['get-stats', { dynamodb: ['Query'] }],
    ['list-models', {}],
    ['count-message-tokens', {}],
    ['list-sessions', { dynamodb: ['Query'] }],
    ['get-session', { dynamodb: ['GetItem'] }],
    [
      'delete-job',
      {
        dynamodb: ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
        s3: ['DeleteObject', 'GetObject', 'ListBucket', 'PutObject'],
      },
    ],
    ['delete-session', { dynamodb: ['DeleteItem', 'PutItem', 'Query'] }],
    [
      'create-file',
      {
        dynamodb: ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'],
        s3: ['AbortMultipartUpload', 'DeleteObject', 'ListBucket', 'PutObject'],
      },
    ],
    ['list-files', { dynamodb: ['Query'] }],
    // The result of a job is a file, and is as large as its text.
    ['get-file', { dynamodb: ['GetItem'], s3: ['GetObject'] }],
    ['get-file-content', { dynamodb: ['GetItem'], s3: ['GetObject'] }],
    [
      'delete-file',
      { dynamodb: ['DeleteItem', 'GetItem', 'UpdateItem'], s3: ['DeleteObject', 'ListBucket'] },
    ],
    ['create-upload', { dynamodb: ['PutItem', 'UpdateItem'] }],
    ['add-upload-part', { dynamodb: ['GetItem', 'PutItem', 'UpdateItem'], s3: ['PutObject'] }],
    [
      'complete-upload',
      { dynamodb: ['GetItem', 'PutItem', 'Query', 'UpdateItem'], s3: [...bodies, 'DeleteObject'] },
    ],
    [
      'cancel-upload',
      { dynamodb: ['DeleteItem', 'GetItem', 'UpdateItem'], s3: ['DeleteObject', 'ListBucket'] },
    ],
    ['read-document', {}],
    ['read-page', {}],
    [
      'search-drive',
      {
        lambda: ['InvokeFunction'],
        s3: ['DeleteObject', 'GetObject', 'PutObject'],
        secretsmanager: secrets,
      },
    ],
    [
      'stream-chat',
      {
        dynamodb: spend,
        lambda: ['InvokeFunction'],
        s3: ['GetObject'],
        secretsmanager: ['GetSecretValue'],
        sqs: ['SendMessage'],
      },
    ],
    [
      'create-batch',
      { dynamodb: ['GetItem', 'PutItem', 'Query', 'UpdateItem'], s3: ['GetObject'] },
    ],
    ['get-batch', { dynamodb: ['GetItem'] }],
    ['list-batches', { dynamodb: ['BatchGetItem', 'Query'] }],
    ['list-jobs', { dynamodb: ['BatchGetItem', 'GetItem', 'Query'] }],
    ['reset-ocr-windows', { dynamodb: ['GetItem', 'Query', 'UpdateItem'], sqs: ['SendMessage'] }],
    [
      'run-chat-job',
      {
        // It makes files of what batches came to, and erases what it made of one that breaks off.
        dynamodb: [...work, 'ConditionCheckItem', 'PartiQLInsert', 'DeleteItem'],
        s3: [...bodies, 'AbortMultipartUpload', 'DeleteObject', 'ListBucket'],
        secretsmanager: secrets,
        sqs: [...queue, ...consume, 'SendMessage'],
      },
    ],
    [
      'run-ocr-job',
      {
        dynamodb: [...work, 'ConditionCheckItem', 'PartiQLInsert'],
        s3: [...bodies, 'AbortMultipartUpload'],
        secretsmanager: secrets,
        sqs: [...queue, ...consume, 'SendMessage'],
        textract: ['AnalyzeDocument', 'DetectDocumentText'],
      },
    ],
    [
      'roll-up-usage',
      {
        dynamodb: ['BatchGetItem', 'GetItem', 'UpdateItem', ...stream],
        sqs: [...queue, 'SendMessage'],
      },
    ],
    ['retry-job', { dynamodb: ['GetItem', 'PutItem', 'Query', 'UpdateItem'] }],
    ['stop-job', { dynamodb: ['GetItem', 'Query', 'UpdateItem'] }],
    ['submit-feedback', { dynamodb: ['PutItem', 'UpdateItem'] }],
    ['list-feedback', { dynamodb: ['BatchGetItem', 'Query'] }],
    [
      'submit-job',
      {
        dynamodb: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
        lambda: ['InvokeFunction'],
        s3: bodies,
      },
    ],
    ['estimate-job', { dynamodb: ['GetItem'], s3: ['GetObject'], secretsmanager: secrets }],
    [
      'sweep',
      {
        dynamodb: ['BatchWriteItem', 'DeleteItem', ...work],
        s3: ['DeleteObject', 'GetObject', 'ListBucket', 'PutObject'],
        sqs: ['SendMessage'],
      },
    ],
  ])('%s may do this and no more', (name, expected) => {
    const role = referencesIn(functions.find((fn) => fn.name === name)?.properties.Role)[0] ?? '';

    const actions = policiesOf(role).flatMap(({ Action }) => Action);
    const wanted = Object.entries(expected).flatMap(([service, names]) =>
      names.map((each) => `${service}:${each}`),
    );
    expect([...new Set(actions)].sort()).toEqual(wanted.sort());
  });

  it.each(functions)('$name writes into its own log group, and no other', ({ properties }) => {
    const [role = ''] = referencesIn(properties.Role);
    const { ManagedPolicyArns = [], Policies }: Properties = new Map(all('AWS::IAM::Role')).get(
      role,
    );

    expect(ManagedPolicyArns).toEqual([]);
    expect(Policies[0]).toEqual({
      PolicyName: 'logs',
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: { 'Fn::GetAtt': [referencesIn(properties.LoggingConfig)[0], 'Arn'] },
          },
        ],
      },
    });
  });

  it('that dispatch reads the names of keys, for the log', () => {
    const dispatch = functions.find(({ name }) => name === 'dispatch-jobs')
      ?.properties as Properties;

    expect(setting(dispatch, 'KEYS_TABLE')).toBeDefined();
  });

  it.each(functions)(
    '$name is granted nothing on resources outside the stack',
    ({ properties }) => {
      const [role = ''] = referencesIn(properties.Role);

      for (const { Resource, Action } of policiesOf(role)) {
        const actions = [Action].flat();
        expect(actions.filter((action) => action.includes('*'))).toEqual([]);
        // Textract has no resources.
        if (actions.every((action) => action.startsWith('textract:'))) continue;
        for (const resource of [Resource].flat()) expect(referencesIn(resource)).toHaveLength(1);
      }
    },
  );

  it('may query an index only by its name, and one that shows the jobs of every key only to find work or its turn', () => {
    const queried = functions.flatMap(({ name, properties }) =>
      policiesOf(referencesIn(properties.Role)[0] ?? '')
        .flatMap(({ Resource }) => JSON.stringify(Resource).match(/(?<=\/index\/)[^"]+/g) ?? [])
        .map((index) => `${name} ${index}`),
    );

    expect(queried.sort()).toEqual([
      'create-batch ready',
      'delete-job sessions',
      'delete-session sessions',
      'expand-folder ready',
      'list-feedback sessions',
      'list-jobs ended',
      'list-sessions recent',
      'reset-ocr-windows audits',
      'reset-ocr-windows due',
      'retry-job ready',
      'run-chat-job ready',
      'run-ocr-job ready',
      'submit-job ready',
      'sweep audits',
      'sweep due',
      'sweep due',
      'sweep due',
    ]);
  });

  it('that chat, search Drive, submit and deliver alone may invoke others, each what it needs', () => {
    const idOf = (name: string) => functions.find((fn) => fn.name === name)?.id;
    const mayInvoke: Record<string, string[]> = {
      'stream-chat': ['search-drive', 'read-page', 'read-document'],
      'search-drive': ['read-document'],
      'submit-job': ['estimate-job'],
      'deliver-events': ['post-webhook'],
    };
    const invocationsOf = (role: string) =>
      policiesOf(role).filter(({ Action }) => /lambda:/.test(String(Action)));

    for (const { name, properties } of functions) {
      const invocations = invocationsOf(referencesIn(properties.Role)[0] ?? '');
      const invoked = invocations.flatMap(({ Resource }) => referencesIn(Resource));
      const expected = (mayInvoke[name] ?? []).map(idOf);
      expect(invoked.sort(), name).toEqual(expected.sort());
    }
    const chat = functions.find(({ name }) => name === 'stream-chat')?.properties as Properties;
    expect(setting(chat, 'READ_PAGE_FUNCTION')).toEqual({ Ref: idOf('read-page') });
    expect(setting(chat, 'SEARCH_DRIVE_FUNCTION')).toEqual({ Ref: idOf('search-drive') });
    const submit = functions.find(({ name }) => name === 'submit-job')?.properties as Properties;
    expect(setting(submit, 'ESTIMATE_JOB_FUNCTION')).toEqual({ Ref: idOf('estimate-job') });
    expect(setting(chat, 'READ_DOCUMENT_FUNCTION')).toEqual({ Ref: idOf('read-document') });
    const drive = functions.find(({ name }) => name === 'search-drive')?.properties as Properties;
    expect(setting(drive, 'READ_DOCUMENT_FUNCTION')).toEqual({ Ref: idOf('read-document') });
  });

  it('that search Drive may reach objects that they hand over, and no job’s', () => {
    const { properties } = functions.find(({ name }) => name === 'search-drive') ?? {};
    const statements = policiesOf(referencesIn(properties?.Role)[0] ?? '').filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('s3:')),
    );

    const prefix = setting(properties, 'HAND_OVER_PREFIX');
    expect(prefix).toBe('handed-over/');
    expect(statements.map(({ Resource }) => Resource)).toEqual([
      { 'Fn::Join': ['', [{ 'Fn::GetAtt': [expect.any(String), 'Arn'] }, `/${prefix}*`]] },
    ]);
  });

  it('never ask a local origin, and those that ask strangers or read their files have no setting at all', () => {
    const readPage = functions.find(({ name }) => name === 'read-page');
    const postWebhook = functions.find(({ name }) => name === 'post-webhook');
    const readDocument = functions.find(({ name }) => name === 'read-document');

    for (const { name, properties } of functions) {
      expect(setting(properties, 'READ_PAGE_LOCAL_ORIGIN'), name).toBeUndefined();
    }
    expect(JSON.stringify(template)).not.toContain('READ_PAGE_LOCAL_ORIGIN');
    for (const asks of [readPage, postWebhook, readDocument]) {
      expect(Object.keys(asks?.properties.Environment.Variables).sort()).toEqual([
        'NODE_OPTIONS',
        'POWERTOOLS_SERVICE_NAME',
      ]);
    }
    expect(readPage?.properties).toMatchObject({ MemorySize: 1024, Timeout: 20 });
  });

  const setting = ({ Environment }: Properties, name: string): unknown =>
    Environment?.Variables?.[name];

  function policiesOf(role: string): { Action: string | string[]; Resource: unknown }[] {
    const [, { Policies = [] } = {} as Properties] =
      all('AWS::IAM::Role').find(([id]) => id === role) ?? [];
    return Policies.slice(1).flatMap(({ PolicyDocument }: Properties) => PolicyDocument.Statement);
  }
});
