import { join } from 'node:path';
import { type Duration, type Size, Stack, Stage } from 'aws-cdk-lib';
import { type CfnRole, type Policy, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundlesIn } from '../bundles/folder.ts';
import { conventionsOf } from './conventions.ts';
import { acknowledge, allow } from './permissions.ts';

export interface ServiceFunctionProps {
  readonly timeout: Duration;
  readonly memorySize?: number;
  /** Space in `/tmp`; 512 MB by default. */
  readonly diskSize?: Size;
  readonly description: string;
}

/** A function of this service, named after its file in `functions/`, with the defaults all of them share. */
export class ServiceFunction extends lambda.Function {
  /** What callers and event sources call: the function, or an alias for one of its versions. */
  live: lambda.IFunction = this;

  constructor(scope: Construct, name: string, props: ServiceFunctionProps) {
    const { timeout, memorySize = 512, diskSize, description } = props;
    const { logs, tracing } = conventionsOf(scope);
    super(scope, name, {
      description,
      timeout,
      memorySize,
      ...(diskSize && { ephemeralStorageSize: diskSize }),
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      code: lambda.Code.fromAsset(join(bundlesDir(scope), name)),
      handler: 'index.handler',
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: Stack.of(scope).stackName,
      },
      ...(tracing && { tracing: lambda.Tracing.ACTIVE }),
      logGroup: new LogGroup(scope, `${name}-logs`, logs),
    });
    this.writeOwnLogsOnly();
    if (tracing) {
      acknowledge(this, {
        'IAM5[Resource::*]': 'X-Ray has no resources that a policy for writing traces could name.',
      });
    }
  }

  /** Replaces AWS's own policy, which lets a function write into all log groups of the account. */
  private writeOwnLogsOnly(): void {
    const role = this.role?.node.defaultChild as CfnRole;
    const actions = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    const statement = new PolicyStatement({ actions, resources: [this.logGroup.logGroupArn] });
    role.managedPolicyArns = [];
    role.policies = [
      { policyName: 'logs', policyDocument: new PolicyDocument({ statements: [statement] }) },
    ];
  }

  /** Lets another function invoke this one, and tells it the name in a variable such as `READ_PAGE_FUNCTION`. */
  letInvoke(fn: lambda.Function): void {
    allow(fn, ['lambda:InvokeFunction'], this.functionArn);
    const variable = `${this.node.id.toUpperCase().replaceAll('-', '_')}_FUNCTION`;
    fn.addEnvironment(variable, this.functionName);
  }

  /** The source keeps its logical id when it comes to feed an alias: another one would read its stream anew. */
  override addEventSource(source: lambda.IEventSource): void {
    super.addEventSource(source);
    if (this.live === this) return;
    for (const child of this.node.findAll()) {
      if (child instanceof lambda.CfnEventSourceMapping) child.functionName = this.live.functionArn;
    }
  }
}

/** Has the roles of functions hold what they were granted, where the CDK makes a policy for each: a stack has room for 500 resources. */
export function inlinePolicies(scope: Construct): void {
  for (const fn of scope.node.findAll()) {
    if (!(fn instanceof ServiceFunction)) continue;
    const policy = fn.role?.node.tryFindChild('DefaultPolicy') as Policy | undefined;
    if (!policy) continue;
    const role = fn.role?.node.defaultChild as CfnRole;
    role.policies = [
      ...(role.policies as CfnRole.PolicyProperty[]),
      { policyName: 'granted', policyDocument: policy.document },
    ];
    fn.role?.node.tryRemoveChild('DefaultPolicy');
  }
}

/** The folder that the bundles of this synthesis lie in. */
export function bundlesDir(scope: Construct): string {
  const outdir = Stage.of(scope)?.outdir;
  if (!outdir) throw new Error('Functions are made within an app');
  return bundlesIn(outdir);
}
