import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';

/** The functions that mostly wait for models while their callers wait. */
const waiting = ['create-chat-completion', 'create-response', 'create-message', 'stream-chat'];

/** Calls at once in one sandbox: a processor computes as many calls of some seconds. */
const callsAtOnce = 64;

/** The least that Lambda gives such a sandbox. */
const memoryMb = 2048;

/**
 * Runs the functions that wait for models on the account's own machines: one sandbox serves many calls, which share
 * holds.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances.html
 */
export function runOnManagedInstances(scope: Construct, capacityProviderArn: string): void {
  for (const child of scope.node.findAll()) {
    if (!(child instanceof ServiceFunction && waiting.includes(child.node.id))) continue;
    child.addEnvironment('LEASES', 'on');
    const fn = child.node.defaultChild as CfnFunction;
    fn.capacityProviderConfig = {
      lambdaManagedInstancesCapacityProviderConfig: {
        capacityProviderArn,
        perExecutionEnvironmentMaxConcurrency: callsAtOnce,
      },
    };
    // Callers that name no version get the one that was published last.
    fn.publishToLatestPublished = true;
    fn.memorySize = Math.max(fn.memorySize ?? 0, memoryMb);
    // What runs at once is bounded by the capacity provider.
    fn.reservedConcurrentExecutions = undefined;
  }
}
