import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, MathExpression, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from '../base/permissions.ts';
import type { ServiceFunction } from '../base/service-function.ts';
import { serviceMetric } from './service-metric.ts';

/** The alias that callers invoke. */
const aliasName = 'live';

/** Deploys functions to a tenth of their calls first, if it is on. If the new version fails within five minutes, the deploy is undone. */
export class Canary extends Construct {
  private readonly shared: { application: LambdaApplication; role: Role } | undefined;

  /** Returns the canary of a construct's stack. */
  static of(scope: Construct): Canary {
    return Stack.of(scope).node.findChild('canary') as Canary;
  }

  constructor(stack: Stack, { isOn }: { readonly isOn: boolean }) {
    super(stack, 'canary');
    if (!isOn) return;
    const assumedBy = new ServicePrincipal('codedeploy.amazonaws.com');
    const role = new Role(this, 'role', { assumedBy });
    acknowledge(role, {
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        'AWS made this policy for deployments of functions.',
    });
    this.shared = { application: new LambdaApplication(this, 'application'), role };
  }

  /** Leads callers to a function's live version: call it before they are added. `faults` counts 5xx answers too. */
  guard(fn: ServiceFunction, faults?: 'faults'): void {
    if (!this.shared) return;
    const name = fn.node.id;
    const version = fn.currentVersion;
    // The versions before stay, so that the alias can be led back to one.
    version.applyRemovalPolicy(RemovalPolicy.RETAIN);
    // Versions and aliases differ from their interfaces only under `exactOptionalPropertyTypes`.
    const alias = new Alias(this, name, { aliasName, version: version as IVersion });
    const errors = fn.metricErrors({
      period,
      dimensionsMap: {
        FunctionName: fn.functionName,
        Resource: `${fn.functionName}:${aliasName}`,
        ExecutedVersion: version.version,
      },
    });
    new LambdaDeploymentGroup(this, `${name}-deployment`, {
      ...this.shared,
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [
        this.alarm(`${name}-errors`, errors, `The new version of ${name} fails`),
        ...(faults ? [this.faultsAlarm(name)] : []),
      ],
    });
    fn.live = alias as IFunction;
  }

  private faultsAlarm(name: string): Alarm {
    const requests = serviceMetric(this, 'Requests', 'Sum', period);
    const faults = serviceMetric(this, 'Faults', 'Sum', period);
    const share = new MathExpression({
      expression: 'IF(faults >= 5, FLOOR(100 * faults / requests), 0)',
      usingMetrics: { faults, requests },
      label: 'percent',
      period,
    });
    const notices = 'One of a hundred answers or more is a 5xx, for which no provider is to blame';
    return this.alarm(`${name}-faults`, share, notices);
  }

  /** Rings in the second bad minute of five: one failure by chance takes no deploy back. */
  private alarm(id: string, metric: Metric | MathExpression, notices: string): Alarm {
    return new Alarm(this, id, {
      metric,
      threshold: 1,
      evaluationPeriods: 5,
      datapointsToAlarm: 2,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${notices}. What to do: a deploy under way is taken back by itself; see why. Runbook: Rollback.`,
    });
  }
}

const period = Duration.minutes(1);
