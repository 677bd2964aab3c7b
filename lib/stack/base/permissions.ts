import { Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/** Lets a function act on resources. */
export const allow = (fn: LambdaFunction, actions: string[], ...resources: string[]): void => {
  fn.addToRolePolicy(new PolicyStatement({ actions, resources }));
};

/** Tells cdk-nag why a construct doesn't keep to rules of its solutions for AWS. */
export const acknowledge = (scope: IConstruct, reasons: Record<string, string>): void =>
  Validations.of(scope).acknowledge(
    ...Object.entries(reasons).map(([rule, reason]) => ({
      id: `AwsSolutions::AwsSolutions-${rule}`,
      reason,
    })),
  );

/** What a function may do with the items of a table and with the objects of a bucket. */
export interface Grant {
  readonly items?: readonly string[];
  readonly objects?: readonly string[];
}
