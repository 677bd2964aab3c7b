import { Duration } from 'aws-cdk-lib';
import { type CfnAuthorizer, RequestAuthorizer, TokenAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { Canary } from './alarms/canary.ts';
import { ServiceAlarms } from './alarms/service-alarms.ts';
import { ServiceFunction } from './base/service-function.ts';
import { keyed, ServiceTable } from './base/service-table.ts';

/** API keys, and the authorizer that checks them. */
export class ApiKeys extends Construct {
  readonly table: ServiceTable;
  readonly authorizer: TokenAuthorizer;
  /** The authorizer of routes that also take a key as `x-api-key`. */
  readonly anyHeaderAuthorizer: RequestAuthorizer;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new ServiceTable(this, 'table', { variable: 'KEYS_TABLE', ...keyed('id') });
    const authorizeRequest = new ServiceFunction(this, 'authorize-request', {
      description: 'Checks API keys for the gateway',
      timeout: Duration.seconds(10),
    });
    this.grantRead(authorizeRequest);
    ServiceAlarms.of(this).onErrors(authorizeRequest, {
      notices: 'Callers whose key is not remembered get 503 answers',
      todo: 'find the error in the logs of authorize-request: the table of keys, or the function itself',
      runbook: 'Authorizer',
      essential: true,
    });
    Canary.of(this).guard(authorizeRequest);
    this.authorizer = new TokenAuthorizer(this, 'authorizer', {
      handler: authorizeRequest.live,
      // HTTP's schemes are the same in any case.
      validationRegex: '^[Bb][Ee][Aa][Rr][Ee][Rr] sk-[0-9A-Za-z]{43}$',
      resultsCacheTtl: Duration.seconds(60),
    });
    // It keeps nothing: all headers that it would be kept by must be there, else a request is refused without being
    // looked at. https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html
    this.anyHeaderAuthorizer = new RequestAuthorizer(this, 'any-header-authorizer', {
      handler: authorizeRequest.live,
      identitySources: [],
      resultsCacheTtl: Duration.seconds(0),
    });
    // CDK would write one without a name.
    (this.anyHeaderAuthorizer.node.defaultChild as CfnAuthorizer).identitySource = undefined;
  }

  /** Lets a function find keys. */
  grantRead(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem');
  }
}
