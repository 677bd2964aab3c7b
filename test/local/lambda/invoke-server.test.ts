import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { InvokeCommand, type InvokeCommandInput, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import type { Engine } from '../../../lib/local/engines/engine.ts';
import { Functions } from '../../../lib/local/lambda/functions.ts';
import { startInvokeServer } from '../../../lib/local/lambda/invoke-server.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import type { Resource, Template } from '../../../lib/local/template/template.ts';
import { TinyFunctions } from './tiny-functions.ts';

const sdk = createRequire(import.meta.url).resolve('@aws-sdk/client-lambda');
const tiny = new TinyFunctions();

/** A function of the template, as the CDK synthesizes it, that runs a tiny handler. */
function functionResource(
  id: string,
  body: string,
  { preamble, statements = [] }: { preamble?: string; statements?: object[] } = {},
): Record<string, Resource> {
  const { codeDir } = tiny.start(body, preamble === undefined ? {} : { preamble }).config;
  const PolicyDocument = { Statement: statements };
  const role = `${id}ServiceRole`;
  return {
    [role]: { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyDocument }] } },
    [id]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Handler: 'index.handler',
        Timeout: 2,
        Role: { 'Fn::GetAtt': [role, 'Arn'] },
        Environment: { Variables: { CALLEE: { Ref: 'callee' } } },
      },
      Metadata: { 'aws:asset:path': codeDir },
    },
  };
}

/** What `grantInvoke` allows. */
const granted = [
  { 'Fn::GetAtt': ['callee', 'Arn'] },
  { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['callee', 'Arn'] }, ':*']] },
];
const mayInvoke = { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: granted };

const template: Template = {
  Resources: {
    ...functionResource(
      'callee',
      `if (event.fail) throw new TypeError(event.fail);
       if (event.die) process.exit(1);
       if (event.wait) await new Promise(() => {});
       return event.length ? 'x'.repeat(event.length) : { echo: event, id: context.awsRequestId };`,
    ),
    ...functionResource(
      'caller',
      `const { Payload } = await new LambdaClient({}).send(
         new InvokeCommand({ FunctionName: process.env.CALLEE, Payload: JSON.stringify(event) }));
       return { returned: JSON.parse(Payload.transformToString()) };`,
      {
        preamble: `import sdk from '${sdk}'; const { LambdaClient, InvokeCommand } = sdk;`,
        statements: [mayInvoke],
      },
    ),
  },
};
const names = new ResourceNames(template, 'quire-Test');

let functions: Functions;
let server: Engine;

beforeAll(async () => {
  server = await startInvokeServer((name) => functions.named(name));
  const environmentOf = () => ({ AWS_ENDPOINT_URL_LAMBDA: server.url });
  const synthesis = { template, assetsDir: dirname(sdk), stackName: 'quire-Test' };
  functions = new Functions(synthesis, names, environmentOf, tiny.narrator);
});
afterAll(async () => {
  await Promise.all([server.close(), functions.close(0), tiny.close()]);
});

/** Invokes the callee with Lambda's own client. */
async function invoke(payload: unknown, input: Partial<InvokeCommandInput> = {}) {
  const client = new LambdaClient(clientConfig(server.url));
  const { Payload, ...output } = await client.send(
    new InvokeCommand({
      FunctionName: 'quire-Test-callee',
      Payload: JSON.stringify(payload),
      ...input,
    }),
  );
  return { ...output, result: JSON.parse(Payload?.transformToString() ?? '') };
}

describe('an invocation', () => {
  it('returns what the function returns, and bears its request id', async () => {
    const { result, StatusCode, ExecutedVersion, FunctionError, $metadata } = await invoke({
      n: 1,
    });

    expect(result).toEqual({ echo: { n: 1 }, id: $metadata.requestId });
    expect({ StatusCode, ExecutedVersion, FunctionError }).toEqual({
      StatusCode: 200,
      ExecutedVersion: '$LATEST',
      FunctionError: undefined,
    });
  });

  it('is made by a function through the address in its environment', async () => {
    const result = await functions.find('quire-Test-caller').invoke({ n: 2 });

    expect(result).toMatchObject({ returned: { echo: { n: 2 } } });
  });

  it('is refused if the stage has not signed it', async () => {
    const path = '/2015-03-31/functions/quire-Test-callee/invocations';

    const { status } = await fetch(`${server.url}${path}`, { method: 'POST', body: '{}' });

    expect(status).toBe(403);
  });

  it('has a payload of 6 MB at most', async () => {
    const longest = 'x'.repeat(6 * 1024 * 1024 - 2);

    const { result } = await invoke(longest);
    const tooLarge = invoke(`${longest}x`);

    expect(result).toHaveLength(longest.length);
    await expect(tooLarge).rejects.toMatchObject({
      name: 'RequestTooLargeException',
      $metadata: { httpStatusCode: 413 },
    });
  });

  it('has a payload of JSON', async () => {
    await expect(invoke(0, { Payload: '{' })).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
      $metadata: { httpStatusCode: 400 },
    });
  });

  it.each(['Event', 'DryRun'] as const)('is refused as %s', async (InvocationType) => {
    await expect(invoke({}, { InvocationType })).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: `The local stage invokes a function as RequestResponse, not as ${InvocationType}.`,
      $metadata: { httpStatusCode: 400 },
    });
  });
});

describe('a function error', () => {
  it.each([
    ['of its own', { fail: 'no' }, 'TypeError', 'no'],
    ['for its death', { die: true }, 'Runtime.ExitError', /ended by code 1/],
    ['for its time', { wait: true }, 'Sandbox.Timedout', /timed out after 2\.00 seconds/],
    [
      'for its response’s length',
      { length: 6_291_555 },
      'Function.ResponseSizeTooLarge',
      /exceeded maximum allowed payload size/,
    ],
  ])('%s comes as the payload', { tags: 'exhaustive' }, async (_, event, errorType, message) => {
    const { result, StatusCode, FunctionError } = await invoke(event);

    expect({ StatusCode, FunctionError }).toEqual({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(result).toEqual({ errorType, errorMessage: expect.stringMatching(message) });
  });
});

it('a function that is not there is not found', async () => {
  const invoked = invoke({}, { FunctionName: 'nobody' });

  await expect(invoked).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: 'Function not found: arn:aws:lambda:us-east-1:000000000000:function:nobody',
    Type: 'User',
    $metadata: { httpStatusCode: 404 },
  });
});
