import { beforeEach, expect, it, vi } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { secretText } from '../../shared/aws/secrets.ts';
import { type JsonAnswer, useJsonServer } from '../support/servers/json-server.ts';

const parameter = (name: string) =>
  `arn:aws:ssm:us-east-1:000000000000:parameter/quire-test/${name}`;
let asked: unknown[] = [];
let given: JsonAnswer;
const server = await useJsonServer(({ headers }, body) => {
  asked.push([headers['x-amz-target'], body]);
  return given;
});

beforeEach(() => {
  asked = [];
  for (const [name, value] of Object.entries(clientEnvironment)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', server.url);
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', server.url);
});

it('a parameter is read decrypted, by its ARN', async () => {
  given = { body: { Parameter: { Value: 'sk-of-a-provider' } } };

  expect(await secretText(parameter('openai'))).toBe('sk-of-a-provider');
  expect(asked).toEqual([
    ['AmazonSSM.GetParameter', { Name: parameter('openai'), WithDecryption: true }],
  ]);
});

it('a parameter that is yet to be made reads as what no provider takes', async () => {
  given = { status: 400, body: { __type: 'ParameterNotFound' } };

  expect(await secretText(parameter('brave'))).toBe('not-set');
});

it('a parameter that may not be read is an error, which is not remembered', async () => {
  given = { status: 400, body: { __type: 'AccessDeniedException' } };
  await expect(secretText(parameter('tavily'))).rejects.toThrow();
  given = { body: { Parameter: { Value: 'now it may' } } };

  expect(await secretText(parameter('tavily'))).toBe('now it may');
});

it('a secret is read where its ARN says', async () => {
  given = { body: { SecretString: 'a secret' } };
  const arn = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:openai-AbCdEf';

  expect(await secretText(arn)).toBe('a secret');
  expect(asked).toEqual([['secretsmanager.GetSecretValue', { SecretId: arn }]]);
});
