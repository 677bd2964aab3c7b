import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { requireSignature } from '../../lib/local/engines/signature.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { cleanEnvironment, inOwnProcess, runCommand } from '../support/servers/command.ts';

/** An account of AWS: its quotas, and what it refuses to tell. */
interface Account {
  concurrency: number;
  unreserved: number;
  gateway: number;
  /** Applied quotas by service; those of an account that never changed one are defaults. */
  applied: Record<string, [name: string, code: string, value: number][]>;
  defaults: Account['applied'];
  /** What the deployed stack has reserved; there is none without. */
  reserved?: number;
  denies?: 'lambda' | 'everything';
}

const textract = (value: number): [string, string, number][] => [
  ['AnalyzeExpense throttle limit in transactions per second', 'L-3', 1],
  ['DetectDocumentText throttle limit in transactions per second', 'L-1', value],
  ['AnalyzeDocument throttle limit in transactions per second', 'L-2', value + 1],
];
const table: [string, string, number] = [
  'Table-level write throughput limit',
  'L-AB614373',
  40_000,
];
const usual: Account = {
  concurrency: 1_000,
  unreserved: 1_000,
  gateway: 10_000,
  applied: { textract: textract(5) },
  defaults: { dynamodb: [table] },
};

let account: Account;
/** Those in which Lambda was asked for its quota. */
const regions: string[] = [];

const server = createServer(async (request, response) => {
  const body = await text(request);
  const { status = 200, type = 'application/json', answer } = answerTo(request, body);
  response.writeHead(status, { 'content-type': type }).end(answer);
});
requireSignature(server);

interface Answer {
  status?: number;
  type?: string;
  answer: string;
}

/** Answers as AWS does: Lambda and API Gateway by REST, Service Quotas by JSON, CloudFormation by query. */
function answerTo({ url = '', headers }: IncomingMessage, body: string): Answer {
  const denied = { status: 403, answer: '{"Message":"You may not ask."}' };
  if (account.denies === 'everything') return denied;
  if (url === '/2016-08-19/account-settings') {
    const { concurrency, unreserved } = account;
    regions.push(String(headers.authorization).split('/')[2] ?? '');
    const AccountLimit = {
      ConcurrentExecutions: concurrency,
      UnreservedConcurrentExecutions: unreserved,
    };
    return account.denies === 'lambda' ? denied : { answer: JSON.stringify({ AccountLimit }) };
  }
  if (url === '/account') {
    const throttleSettings = { rateLimit: account.gateway, burstLimit: 5_000 };
    return { answer: JSON.stringify({ throttleSettings }) };
  }
  const [, operation = ''] = String(headers['x-amz-target']).split('.');
  if (operation.startsWith('List')) return listed(operation, body);
  return templateOf(new URLSearchParams(body).get('StackName') ?? '');
}

/** Two quotas a page, as a long list comes in several. */
function listed(operation: string, body: string): Answer {
  const { ServiceCode, NextToken = '0' } = JSON.parse(body);
  const from = operation === 'ListServiceQuotas' ? account.applied : account.defaults;
  const quotas = (from[ServiceCode] ?? []).map(([QuotaName, QuotaCode, Value]) => ({
    ServiceCode,
    QuotaName,
    QuotaCode,
    Value,
  }));
  const start = Number(NextToken);
  const next = start + 2 < quotas.length ? { NextToken: String(start + 2) } : {};
  return { answer: JSON.stringify({ Quotas: quotas.slice(start, start + 2), ...next }) };
}

function templateOf(stack: string): Answer {
  const type = 'text/xml';
  const xmlns = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"';
  if (account.reserved === undefined) {
    const error = `<Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${stack} does not exist</Message></Error>`;
    return { status: 400, type, answer: `<ErrorResponse ${xmlns}>${error}</ErrorResponse>` };
  }
  const template = JSON.stringify({
    Resources: {
      a: { Properties: { ReservedConcurrentExecutions: account.reserved - 1 } },
      b: { Properties: { ReservedConcurrentExecutions: 1 } },
    },
  });
  return {
    type,
    answer: `<GetTemplateResponse ${xmlns}><GetTemplateResult><TemplateBody>${template}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
  };
}

const folder = useFolder();

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mkdirSync(join(folder, 'bin'));
  const show = '[ -z "$SHOW" ] || { cat "$QUIRE_DEPLOYED_TEMPLATE"; echo; }';
  writeFileSync(join(folder, 'bin/cdk'), `#!/bin/sh\nprintf "%s\\n" "$@"\n${show}\nexit 7\n`, {
    mode: 0o755,
  });
});
afterAll(() => server.close());
beforeEach(() => {
  account = usual;
  regions.length = 0;
});

/** Runs the command with a CDK that prints what it is called with, a line each, and ends with 7. */
const deploy = (...args: string[]) => deployWith(clientEnvironment, ...args);

function deployWith(environment: Record<string, string>, ...args: string[]) {
  const env = {
    ...cleanEnvironment(folder),
    ...environmentOf(environment),
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
  };
  return inOwnProcess({ file: 'bin/deploy.ts', args, env });
}

/** Runs the command where it calls no CDK. */
const preflight = (args: string[], environment: Record<string, string> = clientEnvironment) =>
  runCommand('deploy', folder, args, environmentOf(environment));

function environmentOf(environment: Record<string, string>) {
  const { port } = server.address() as AddressInfo;
  return { ...environment, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
}

/** What the CDK was called with. */
const cdkArgs = (stdout: string) => stdout.trim().split('\n');

describe('a deploy', () => {
  it('to an account that has enough is the CDK’s, with its arguments and its end', {
    tags: 'exhaustive',
  }, async () => {
    const args = [
      '--require-approval',
      'never',
      '-c',
      'a=b=c',
      '-c',
      'quire:alarmEmail=a@b.example',
    ];

    const { code, stdout, stderr } = await deploy(...args);

    expect(cdkArgs(stdout)).toEqual(['deploy', ...args]);
    expect(code).toBe(7);
    expect(stderr.trim().split('\n')).toEqual([
      'quotas for quire-prod                          code        account  wanted',
      'Lambda: functions at once                      L-B99A9384  1000     1000',
      'Textract: pages a second                       L-1         5        5',
      'API Gateway: requests a second                 L-8A5B8E43  10000    1000',
      'DynamoDB: write units a second, of the ledger  L-AB614373  40000    500',
    ]);
  });

  it('to a new account is of what it can run, and says what to ask for', async () => {
    account = { ...usual, concurrency: 10, unreserved: 10, applied: { textract: textract(1) } };

    const { stdout, stderr } = await deploy('-c', 'quire:concurrency=500', '--no-rollback');

    expect(cdkArgs(stdout)).toEqual([
      ...['deploy', '-c', 'quire:concurrency=500', '--no-rollback'],
      ...['-c', 'quire:concurrency=10', '-c', 'quire:chatWorkers=2'],
      ...['-c', 'quire:ocrWorkers=2', '-c', 'quire:textractPagesPerSecond=1'],
    ]);
    expect(stderr).toContain(`The account's quota "Concurrent executions" (L-B99A9384) is 10`);
    expect(stderr).toContain(
      'aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 500',
    );
    expect(stderr).toContain('--service-code textract --quota-code L-1 --desired-value 5');
    expect(stderr).toContain(
      'Meanwhile quire:concurrency=10, quire:chatWorkers=2, quire:ocrWorkers=2.',
    );
  });

  it('takes the default of a quota that was never applied to the account', async () => {
    account = { ...usual, applied: {}, defaults: { textract: textract(25), dynamodb: [table] } };

    const { stdout, stderr } = await deploy();

    expect(cdkArgs(stdout)).toEqual(['deploy']);
    expect(stderr).toContain('-c quire:textractPagesPerSecond=25 makes use of it.');
  });

  it('reserves nothing where other stacks have, and gives its own reservation back to itself', {
    tags: 'exhaustive',
  }, async () => {
    account = { ...usual, unreserved: 400 };
    const first = await deploy();
    account = { ...usual, unreserved: 400, reserved: 580 };
    const second = await deploy();

    expect(cdkArgs(first.stdout)).toEqual(['deploy', '-c', 'quire:reservedConcurrency=false']);
    expect(first.stderr).toContain('would reserve 580 functions at once');
    expect(cdkArgs(second.stdout)).toEqual(['deploy']);
  });

  it('says what the gateway and the ledger’s table would need, which no setting lowers', async () => {
    account = { ...usual, gateway: 500, defaults: { dynamodb: [['Table-level', table[1], 400]] } };

    const { stdout, stderr } = await deploy();

    expect(cdkArgs(stdout)).toEqual(['deploy']);
    expect(stderr).toContain(
      '--service-code apigateway --quota-code L-8A5B8E43 --desired-value 1000',
    );
    expect(stderr).toContain('--service-code dynamodb --quota-code L-AB614373 --desired-value 500');
  });

  it('reserves nothing where Lambda’s quota may not be asked, and says so; a check fails', async () => {
    account = { ...usual, denies: 'lambda' };

    const { code, stdout, stderr } = await deploy();
    const checked = await preflight(['--check']);

    expect(cdkArgs(stdout)).toEqual(['deploy', '-c', 'quire:reservedConcurrency=false']);
    expect([code, checked.code]).toEqual([7, 1]);
    expect(stderr).toContain("Lambda's quota of the account is not known");
    expect(stderr).toContain(
      "Not known: Lambda's functions at once (lambda:GetAccountSettings).\n  You may not ask.",
    );
  });

  it('goes on without any, for one reason that is said once', async () => {
    account = { ...usual, denies: 'everything' };

    const { stdout, stderr } = await deploy();

    expect(cdkArgs(stdout)).toEqual(['deploy', '-c', 'quire:reservedConcurrency=false']);
    expect(stderr.match(/You may not ask/g)).toHaveLength(1);
  });

  it('with --check is none, and tells by its end whether the account has enough', {
    tags: 'exhaustive',
  }, async () => {
    const enough = await preflight(['--check']);
    account = { ...usual, concurrency: 500 };
    const less = await preflight(['--check']);

    expect(enough).toMatchObject({ code: 0, stdout: '' });
    expect(less).toMatchObject({ code: 1, stdout: '' });
    expect(less.stderr).toContain('Meanwhile quire:concurrency=500.');
  });

  it('says that nobody hears of alarms, unless somebody does', async () => {
    const silent = await deploy();
    const heard = await deploy('-c', 'quire:alarmEmail=oncall@example.com');

    expect(silent.stderr).toContain('NOBODY HEARS OF ALARMS: -c quire:alarmEmail=');
    expect(heard.stderr).not.toContain('NOBODY');
  });

  it('goes to the region that the CDK takes', async () => {
    const { AWS_REGION: _, ...env } = clientEnvironment as Record<string, string>;

    const byDefault = await preflight(['--check'], env);
    const named = await preflight(['--check'], { ...env, AWS_DEFAULT_REGION: 'eu-west-1' });

    expect([byDefault.code, named.code]).toEqual([0, 0]);
    expect(regions).toEqual(['us-east-1', 'eu-west-1']);
  });

  it('shows the CDK’s app the template that is deployed', async () => {
    account = { ...usual, reserved: 580 };

    const { stdout } = await deployWith({ ...clientEnvironment, SHOW: '1' });

    expect(JSON.parse(stdout.split('\n').at(-2) ?? '').Resources).toHaveProperty('a');
  });

  it('with a wrong setting is none', async () => {
    expect(await preflight(['--context', 'quire:chatWorkers=1'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The setting quire:chatWorkers is 1: it should be a whole number from 2 to 1000.\n',
    });
  });

  it.each([
    [['--chekc'], 'There is no option --chekc (did you mean --check?); npm run deploy -- --help'],
    [['--require-aproval', 'never'], '(did you mean --require-approval?)'],
    [['--no-rolback'], 'There is no option --no-rolback'],
    [
      ['-c', 'quire:concurency=500'],
      'no setting quire:concurency (did you mean quire:concurrency?)',
    ],
  ])('with %j is none, and says what was likely meant', async (args, sentence) => {
    const { code, stdout, stderr } = await preflight(args);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('can be explained', async () => {
    const { code, stdout } = await preflight(['--help']);

    expect(code).toBe(0);
    expect(stdout).toContain('npm run deploy -- [options of cdk deploy]');
  });
});
