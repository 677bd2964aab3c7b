import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { GatewayError } from '../../../shared/http/gateway-errors.ts';

export interface WebAclProps {
  readonly stage: Stage;
  readonly requestsPerMinute: number;
  /** The error for an address that sends more. */
  readonly throttled: GatewayError;
}

/**
 * A web ACL before the gateway. It refuses known bad addresses, and addresses that send too much, before the methods'
 * limits.
 * @see https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based.html
 */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, props: WebAclProps) {
    super(scope, id);
    const { stage, requestsPerMinute, throttled } = props;
    const acl = new CfnWebACL(this, 'acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: measuredAs('Quire'),
      customResponseBodies: {
        throttled: { contentType: 'APPLICATION_JSON', content: JSON.stringify(throttled.body) },
      },
      rules: [
        {
          name: 'bad-reputation',
          priority: 0,
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name: 'AWSManagedRulesAmazonIpReputationList',
            },
          },
          overrideAction: { none: {} },
          visibilityConfig: measuredAs('BadReputation'),
        },
        {
          name: 'too-many-requests',
          priority: 1,
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: 60,
              limit: requestsPerMinute,
            },
          },
          action: {
            block: {
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: 'throttled',
                responseHeaders: [{ name: 'Retry-After', value: '60' }],
              },
            },
          },
          visibilityConfig: measuredAs('TooManyRequests'),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'association', {
      resourceArn: stage.stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

const measuredAs = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples would hold parts of requests, keys among them.
  sampledRequestsEnabled: false,
});
