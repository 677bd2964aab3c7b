import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkReplacements, lastingResources } from '../../lib/stack/lasting-resources.ts';
import { template } from '../support/run/stack-template.ts';
import { useFolder } from '../support/run/use-folder.ts';

const file = join(useFolder(), 'snapshot.json');

const table = (KeySchema: string, more = {}) => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: { KeySchema, ...more },
});
const queue = { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } };
const api = { Type: 'AWS::ApiGateway::RestApi' };
const before = { Resources: { table: table('id'), queue, api } };

/** Checks a template against the snapshot of the one before. */
function check(Resources: Parameters<typeof lastingResources>[0]['Resources']): void {
  writeFileSync(file, JSON.stringify(lastingResources(before)));
  checkReplacements({ Resources }, false, { file });
}

describe('a template', () => {
  it.each([
    [
      'another key of a table',
      { table: table('key_id') },
      'table (AWS::DynamoDB::GlobalTable) has another KeySchema.',
    ],
    [
      'a name for a table',
      { table: table('id', { TableName: 'quire' }) },
      'table (AWS::DynamoDB::GlobalTable) has another TableName.',
    ],
    [
      'a queue made first in, first out',
      { queue: { ...queue, Properties: { FifoQueue: true } } },
      'queue (AWS::SQS::Queue) has another FifoQueue.',
    ],
  ])('with %s is refused', (_, changed, sentence) => {
    expect(() => check({ ...before.Resources, ...changed })).toThrow(
      `A deploy of this would put new, empty resources in the place of these, without their data:\n  ${sentence}\nIf that is meant, synthesize once with -c quire:acceptReplacements=true.`,
    );
  });

  it.each(['table', 'queue', 'api'])(
    'without the %s, or with it under another id, is refused',
    (id) => {
      const { [id]: gone, ...others } = before.Resources as Record<string, typeof api>;

      expect(() => check({ ...others, another: gone ?? api })).toThrow(
        `${id} (${gone?.Type}) is not made any more, or under another logical id.`,
      );
    },
  );

  it('that only adds, or changes in place, passes', () => {
    const Resources = {
      ...before.Resources,
      table: table('id', { TimeToLiveSpecification: {} }),
      queue: { ...queue, Properties: { VisibilityTimeout: 90 } },
      more: queue,
    };

    expect(() => check(Resources)).not.toThrow();
  });

  it('whose replacements are accepted becomes the snapshot', () => {
    const Resources = { table: table('key_id') };

    checkReplacements({ Resources }, true, { file });

    expect(() => checkReplacements({ Resources }, false, { file })).not.toThrow();
  });
});

const gsi = (IndexName: string, key = 'a') => ({
  IndexName,
  KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
});
const stream = (StreamViewType: string) => ({ StreamSpecification: { StreamViewType } });
const indexed = (...GlobalSecondaryIndexes: object[]) => table('id', { GlobalSecondaryIndexes });

describe('beside the deployed template', () => {
  it.each([
    [
      'two new indexes of a table',
      indexed(gsi('a')),
      indexed(gsi('a'), gsi('b'), gsi('c')),
      'b, c',
    ],
    ['one index in the place of another', indexed(gsi('a')), indexed(gsi('b')), 'a, b'],
    ['an index by another key', indexed(gsi('a')), indexed(gsi('a', 'b')), 'its index a changed'],
    [
      'another view of a stream',
      table('id', stream('NEW_IMAGE')),
      table('id', stream('NEW_AND_OLD_IMAGES')),
      'nobody has read is lost',
    ],
    [
      'a secret of another name',
      { Type: 'AWS::SecretsManager::Secret', Properties: {} },
      { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'new' } },
      'has another Name',
    ],
    [
      'an event source of another stream',
      { Type: 'AWS::Lambda::EventSourceMapping', Properties: { EventSourceArn: 'a' } },
      { Type: 'AWS::Lambda::EventSourceMapping', Properties: { EventSourceArn: 'b' } },
      'has another EventSourceArn',
    ],
  ])('%s is told', (_, one, other, sentence) => {
    const deployed = { Resources: { one } };

    expect(() => checkReplacements({ Resources: { one: other } }, false, { deployed })).toThrow(
      sentence,
    );
  });

  it('one new index passes', () => {
    const deployed = { Resources: { one: indexed(gsi('a')) } };

    checkReplacements({ Resources: { one: indexed(gsi('a'), gsi('b')) } }, false, { deployed });
  });
});

it('the snapshot in the repository is of all that the stack makes', () => {
  const snapshot = JSON.parse(readFileSync('lib/stack/lasting-resources.json', 'utf8'));

  expect(snapshot).toEqual(lastingResources(template));
});
