import { describe, expect, it } from 'vitest';
import { findGrant, permissionsOf } from '../../../lib/local/permissions/policies.ts';
import { ResourceNames } from '../../../lib/local/template/resource-names.ts';
import type { Template } from '../../../lib/local/template/template.ts';

const allow = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '*' };

/** A function whose role has a policy of these statements. */
function permissionsWith(...Statement: object[]) {
  const template: Template = {
    Resources: {
      role: {
        Type: 'AWS::IAM::Role',
        Properties: { Policies: [{ PolicyDocument: { Statement } }] },
      },
      table: { Type: 'AWS::DynamoDB::GlobalTable' },
      fn: {
        Type: 'AWS::Lambda::Function',
        Properties: { Role: { 'Fn::GetAtt': ['role', 'Arn'] } },
      },
      other: {
        Type: 'AWS::Lambda::Function',
        Properties: { Role: { 'Fn::GetAtt': ['otherRole', 'Arn'] } },
      },
      otherRole: { Type: 'AWS::IAM::Role' },
    },
  };
  return permissionsOf(template, new ResourceNames(template, 'quire-Test'));
}

describe('the permissions of a function', () => {
  it('are what the policies of its role allow', () => {
    const table = { 'Fn::GetAtt': ['table', 'Arn'] };
    const index = { 'Fn::Join': ['', [table, '/index/ready']] };
    const Action = ['dynamodb:GetItem', 'dynamodb:Query'];

    const permissions = permissionsWith(allow, { ...allow, Action, Resource: [table, index] });

    const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/quire-Test-table';
    expect(permissions.get('other')?.grants).toEqual([]);
    expect(permissions.get('fn')).toEqual({
      accessKeyId: 'LOCALFN',
      userArn: 'arn:aws:sts::000000000000:assumed-role/quire-Test-role/quire-Test-fn',
      grants: [
        { action: 'sqs:SendMessage', resource: '*' },
        { action: 'dynamodb:GetItem', resource: arn },
        { action: 'dynamodb:GetItem', resource: `${arn}/index/ready` },
        { action: 'dynamodb:Query', resource: arn },
        { action: 'dynamodb:Query', resource: `${arn}/index/ready` },
      ],
    });
  });

  it.each([
    ['dynamodb:Query', 'arn:t', 'dynamodb:Query', 'arn:t', true],
    ['dynamodb:Query', 'arn:t', 'dynamodb:Query', 'arn:t/index/ready', false],
    ['dynamodb:Query', 'arn:t/index/*', 'dynamodb:Query', 'arn:t/index/ready', true],
    ['dynamodb:*', '*', 'dynamodb:Query', 'arn:t', true],
    ['dynamodb:Query', '*', 'dynamodb:QueryAll', 'arn:t', false],
    ['s3:Get*', 'arn:aws:s3:::b/*', 's3:GetObject', 'arn:aws:s3:::b/a\nb.c', true],
    ['s3:GetObject', 'arn:aws:s3:::b.c/*', 's3:GetObject', 'arn:aws:s3:::bxc/a', false],
  ])('%s on %s: %s on %s %s', (action, resource, wanted, of, allowed) => {
    expect(findGrant([{ action, resource }], wanted, of) !== undefined).toBe(allowed);
  });

  it.each([
    ['denies', { ...allow, Effect: 'Deny' }],
    ['allows under a condition', { ...allow, Condition: { Bool: {} } }],
    ['names resources it does not apply to', { ...allow, Resource: undefined, NotResource: '*' }],
    ['names actions it does not apply to', { ...allow, Action: undefined, NotAction: '*' }],
  ])('cannot be told from a statement that %s: it stops the stage', (_, statement) => {
    expect(() => permissionsWith(statement)).toThrow(
      "The local stage can't apply a statement of the role role",
    );
  });
});
