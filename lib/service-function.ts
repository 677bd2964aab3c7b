import { join } from 'node:path';
import { type Duration, type RemovalPolicy, Stage } from 'aws-cdk-lib';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

export interface ServiceFunctionProps {
  readonly timeout: Duration;
  readonly memorySize?: number;
  readonly description: string;
  readonly logs: FunctionLogs;
}

/** How long functions' logs are kept, and whether they outlive the stack. */
export interface FunctionLogs {
  readonly retention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
}

/** A function of this service: named by its file in `functions/`, with the defaults all of them share. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, name: string, props: ServiceFunctionProps) {
    const { timeout, memorySize = 512, description, logs } = props;
    super(scope, name, {
      description,
      timeout,
      memorySize,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(join(bundlesDir(scope), name)),
      handler: 'index.handler',
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
      },
      logGroup: new LogGroup(scope, `${name}-logs`, logs),
    });
  }
}

/** Where the bundles of this synthesis lie. */
export function bundlesDir(scope: Construct): string {
  const outdir = Stage.of(scope)?.outdir;
  if (!outdir) throw new Error('Functions are made within an app');
  return join(outdir, 'bundles');
}
