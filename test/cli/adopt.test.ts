import { describe, expect, it } from 'vitest';
import { adoptionOf } from '../../lib/cli/adopt/adoption.ts';
import { all, referencesIn, template } from '../support/run/stack-template.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { runCommand } from '../support/servers/command.ts';

const stackName = 'quire-prod';
const idsOf = (type: string) => all(type).map(([id]) => id);
const tables = idsOf('AWS::DynamoDB::GlobalTable').map((id) => `${stackName}-${id}-1ABCDEFGHIJKL`);
const buckets = idsOf('AWS::S3::Bucket').map(
  (id) => `${stackName}-${id.toLowerCase()}-a1b2c3d4e5f6`,
);
const secrets = idsOf('AWS::SecretsManager::Secret').map(
  (id) => `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${id}-AbCdEfGhIjKl-1a2B3c`,
);
const queues = idsOf('AWS::SQS::Queue').map(
  (id) => `https://sqs.eu-west-1.amazonaws.com/123456789012/${stackName}-${id}-AbCdEfGhIjKl`,
);
const left = [...tables, ...buckets, ...secrets, ...queues];

const home = useFolder();
const adopt = (...args: string[]) => runCommand('adopt', home, args);

describe('npm run adopt', () => {
  it('explains itself', async () => {
    const { code, stdout } = await adopt('--help');

    expect(code).toBe(0);
    expect(stdout).toContain('npm run adopt -- STACK NAME...');
  });

  it.each([
    [[], 'adopt needs the name of the new stack, and what to attach.'],
    [['--hepl'], 'There is no option --hepl (did you mean --help?); npm run adopt -- --help lists'],
    [['quire-none'], 'There is no template of quire-none in cdk.out: run npm run synth first.'],
  ])('with %j says what is wrong in one sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await adopt(...args);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(sentence);
  });
});

describe('what a deleted stack has left', () => {
  it('becomes a new stack’s, each under its logical id', () => {
    const { resourcesToImport } = adoptionOf(template, stackName, left);

    const found = resourcesToImport.map(({ LogicalResourceId, ResourceIdentifier }) => [
      LogicalResourceId,
      Object.keys(ResourceIdentifier)[0],
      Object.values(ResourceIdentifier)[0],
    ]);
    expect(found.sort()).toEqual(
      [
        ...idsOf('AWS::DynamoDB::GlobalTable').map((id, index) => [id, 'TableName', tables[index]]),
        ...idsOf('AWS::S3::Bucket').map((id, index) => [id, 'BucketName', buckets[index]]),
        ...idsOf('AWS::SecretsManager::Secret').map((id, index) => [id, 'Id', secrets[index]]),
        ...idsOf('AWS::SQS::Queue').map((id, index) => [id, 'QueueUrl', queues[index]]),
      ].sort(),
    );
  });

  it('makes a template that stands by itself, as an import asks for', () => {
    const { template: adopted, resourcesToImport } = adoptionOf(template, stackName, left);

    const ids = Object.keys(adopted.Resources);
    expect(ids.sort()).toEqual(resourcesToImport.map((each) => each.LogicalResourceId).sort());
    for (const resource of Object.values(adopted.Resources)) {
      expect(resource).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate' });
      expect(
        referencesIn(resource).filter((id) => !id.startsWith('AWS::') && !ids.includes(id)),
      ).toEqual([]);
    }
  });

  it('is all asked for, and nothing else is taken', () => {
    const [first, ...others] = left;

    expect(() => adoptionOf(template, stackName, others)).toThrow(
      `Name these too: ${idsOf('AWS::DynamoDB::GlobalTable')[0]} (AWS::DynamoDB::GlobalTable).`,
    );
    expect(() => adoptionOf(template, stackName, [...left, `${first}-2-3`, 'quire-dev-x'])).toThrow(
      `The stack has nothing of these names: ${first}-2-3, quire-dev-x.`,
    );
  });
});
