import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StageError } from '../../../lib/local/stage-error.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import { refuseUnknownTypes } from '../../../lib/local/template/resource-types.ts';
import { readAssembly, readContext } from '../../../lib/local/template/synthesize.ts';
import { resolve, type Template } from '../../../lib/local/template/template.ts';
import { shared } from '../../support/run/shared.ts';
import { useFolder } from '../../support/run/use-folder.ts';

const folder = useFolder();

const template: Template = {
  Resources: {
    fn: { Type: 'AWS::Lambda::Function' },
    bodies: { Type: 'AWS::S3::Bucket' },
    jobs: { Type: 'AWS::DynamoDB::GlobalTable' },
    openai: { Type: 'AWS::SecretsManager::Secret' },
    alarm: { Type: 'AWS::CloudWatch::Alarm' },
  },
};

function resolved(value: unknown): unknown {
  const names = new ResourceNames(template, 'quire-Test');
  names.set('jobs', 'StreamArn', 'arn:of:the:stream');
  return resolve(value, names);
}

it('a comma too many in cdk.json is told in a sentence that names the file', () => {
  const file = join(folder, 'cdk.json');
  writeFileSync(file, '{ "context": { "quire:alarms": "all", } }');

  expect(() => readContext(file)).toThrow(StageError);
  expect(() => readContext(file)).toThrow(/cdk\.json can't be read: .*JSON.* Correct it/);
});

describe('a value of the template', () => {
  const fnArn = 'arn:aws:lambda:us-east-1:000000000000:function:quire-Test-fn';

  it.each<[string, unknown, unknown]>([
    ['a text', 'Ref', 'Ref'],
    ['a number', 5, 5],
    ['null', null, null],
    ['a list', [1, { Ref: 'fn' }], [1, 'quire-Test-fn']],
    ['an object', { a: { b: { Ref: 'fn' } } }, { a: { b: 'quire-Test-fn' } }],
    ['an object with a key named Ref beside others', { Ref: 'x', b: 1 }, { Ref: 'x', b: 1 }],
    ['Ref', { Ref: 'fn' }, 'quire-Test-fn'],
    ['Ref of a bucket', { Ref: 'bodies' }, 'quire-test-bodies'],
    [
      'Ref of a secret',
      { Ref: 'openai' },
      'arn:aws:secretsmanager:us-east-1:000000000000:secret:quire-Test-openai',
    ],
    ['a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['Fn::GetAtt', { 'Fn::GetAtt': ['fn', 'Arn'] }, fnArn],
    [
      'Fn::GetAtt of what an engine told',
      { 'Fn::GetAtt': ['jobs', 'StreamArn'] },
      'arn:of:the:stream',
    ],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'fn' }]] }, 'a-quire-Test-fn'],
    ['Fn::Split', { 'Fn::Split': [':', { 'Fn::GetAtt': ['fn', 'Arn'] }] }, fnArn.split(':')],
    [
      'Fn::Select',
      { 'Fn::Select': [3, { 'Fn::Split': [':', { 'Fn::GetAtt': ['fn', 'Arn'] }] }] },
      'us-east-1',
    ],
  ])('resolves: %s', (_, value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  it.each<[string, unknown, string]>([
    [
      'an intrinsic it does not know',
      { a: { 'Fn::ImportValue': 'x' } },
      "The local stage can't resolve Fn::ImportValue in the template.",
    ],
    ['Fn::If', { 'Fn::If': ['c', 1, 2] }, "The local stage can't resolve Fn::If in the template."],
    [
      'a resource that is not there',
      { Ref: 'nobody' },
      "The template refers to nobody, which it doesn't make.",
    ],
    [
      'an attribute it does not know',
      { 'Fn::GetAtt': ['jobs', 'Colour'] },
      "The local stage doesn't know Colour of jobs.",
    ],
    [
      'an ARN it does not make',
      { 'Fn::GetAtt': ['alarm', 'Arn'] },
      'The local stage makes no ARN for AWS::CloudWatch::Alarm (alarm).',
    ],
  ])('is refused with a sentence: %s', (_, value, sentence) => {
    expect(() => resolved(value)).toThrow(new StageError(sentence));
  });
});

describe('a resource type', () => {
  it('that the stage cannot make is refused with its name', () => {
    const unknown = { ...template.Resources, bus: { Type: 'AWS::Events::EventBus' } };

    expect(() => refuseUnknownTypes({ Resources: unknown })).toThrow(
      new StageError("The local stage can't make AWS::Events::EventBus (bus)."),
    );
  });

  it('of the stack is one that the stage can make', async () => {
    const stack = readAssembly(await shared('unbundled')).template;

    expect(() => refuseUnknownTypes(stack)).not.toThrow();
  });
});
