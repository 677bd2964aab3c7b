import { type Duration, Lazy } from 'aws-cdk-lib';
import { AwsIntegration, ResponseTransferMode } from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ServiceFunction } from '../base/service-function.ts';

/**
 * The role by which the gateway calls functions: a permission per method would be too many of a stack's 500
 * resources.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-integration-async.html
 */
export class GatewayRole extends Construct {
  private readonly role: Role;
  private readonly functions = new Set<string>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const resources = Lazy.list({ produce: () => [...this.functions] });
    const statement = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources });
    this.role = new Role(this, 'role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { invoke: new PolicyDocument({ statements: [statement] }) },
    });
  }

  /** Makes the integration of a route with a function. It streams its answer if it has a `timeout` of its own. */
  integrationOf(fn: ServiceFunction, timeout?: Duration): AwsIntegration {
    const { functionArn } = fn.live;
    this.functions.add(functionArn);
    const proxy = { proxy: true, service: 'lambda' };
    const options = { credentialsRole: this.role };
    if (!timeout) {
      return new AwsIntegration({
        ...proxy,
        path: `2015-03-31/functions/${functionArn}/invocations`,
        options,
      });
    }
    return new AwsIntegration({
      ...proxy,
      path: `2021-11-15/functions/${functionArn}/response-streaming-invocations`,
      options: { ...options, responseTransferMode: ResponseTransferMode.STREAM, timeout },
    });
  }
}
