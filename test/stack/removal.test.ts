import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { JobTable } from '../../lib/stack/jobs/job-table.ts';

/** The template of a stack with this alone. */
function templateOf(make: (scope: Construct) => unknown): Template {
  const stack = new Stack(new App(), 'test');
  make(stack);
  return Template.fromStack(stack);
}

describe('with the removal policy destroy', () => {
  const removalPolicy = RemovalPolicy.DESTROY;
  const jobs = templateOf(
    (scope) => new JobTable(scope, 'jobs', { removalPolicy, retentionDays: 1 }),
  );

  it('the bucket is emptied, and then deleted with the tables', () => {
    const [bucket] = Object.keys(
      jobs.findResources('AWS::S3::Bucket', { DeletionPolicy: 'Delete' }),
    );

    jobs.hasResourceProperties('Custom::S3AutoDeleteObjects', { BucketName: { Ref: bucket } });
    jobs.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
  });
});

describe('with the removal policy retain', () => {
  const removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
  const jobs = templateOf(
    (scope) => new JobTable(scope, 'jobs', { removalPolicy, retentionDays: 1 }),
  );

  it('nothing can empty the bucket', () => {
    expect(jobs.findResources('Custom::S3AutoDeleteObjects')).toEqual({});
  });
});
