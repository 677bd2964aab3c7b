import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { setConventions } from '../../lib/stack/base/conventions.ts';
import { JobTable } from '../../lib/stack/jobs/job-table.ts';
import { conventionsWith } from './conventions-with.ts';

/** The template of a stack with the jobs alone. */
function templateOf(removalPolicy: RemovalPolicy): Template {
  const stack = new Stack(new App(), 'test');
  setConventions(stack, conventionsWith({ removalPolicy }));
  new JobTable(stack, 'jobs', { retentionDays: 1 });
  return Template.fromStack(stack);
}

describe('with the removal policy destroy', () => {
  const jobs = templateOf(RemovalPolicy.DESTROY);

  it('the bucket is emptied, and then deleted with the tables', () => {
    const [bucket] = Object.keys(
      jobs.findResources('AWS::S3::Bucket', { DeletionPolicy: 'Delete' }),
    );

    jobs.hasResourceProperties('Custom::S3AutoDeleteObjects', { BucketName: { Ref: bucket } });
    jobs.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
  });
});

describe('with the removal policy retain', () => {
  const jobs = templateOf(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);

  it('nothing can empty the bucket', () => {
    expect(jobs.findResources('Custom::S3AutoDeleteObjects')).toEqual({});
  });
});
