import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ServiceFunction } from './service-function.ts';

/** The functions that others wait for, with their parts of the account's concurrency. */
const parts: Record<string, number> = {
  'authorize-request': 0.05,
  'dispatch-jobs': 0.01,
  'roll-up-usage': 0.01,
  sweep: 0.01,
};

/**
 * Gives the functions that all others wait for a part of the account's concurrency to themselves. They may take no
 * more than that, and nobody else takes it from them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export function reserveConcurrency(scope: Construct, concurrency: number): void {
  for (const child of scope.node.findAll()) {
    const part = child instanceof ServiceFunction ? parts[child.node.id] : undefined;
    if (part === undefined) continue;
    const fn = child.node.defaultChild as CfnFunction;
    fn.reservedConcurrentExecutions = Math.ceil(concurrency * part);
  }
}
