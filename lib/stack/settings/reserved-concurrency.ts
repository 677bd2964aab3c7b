import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ServiceFunction } from '../base/service-function.ts';

/**
 * The functions with a reserved part of the account's concurrency: those that others wait for, and those that wait
 * for models.
 */
const parts: Record<string, number> = {
  'create-chat-completion': 0.15,
  'create-response': 0.1,
  'create-message': 0.1,
  'stream-chat': 0.15,
  'authorize-request': 0.05,
  'dispatch-jobs': 0.01,
  'roll-up-usage': 0.01,
  sweep: 0.01,
};

/** The part of the functions that answer completions, responses and messages. */
export const completionsPart = ['create-chat-completion', 'create-response', 'create-message']
  .map((name) => parts[name] ?? 0)
  .reduce((sum, part) => sum + part);

interface Load {
  readonly concurrency: number;
  readonly sweeps: number;
}

/** All sweeps run at once, with any concurrency. */
function reservedOf(name: string, { concurrency, sweeps }: Load): number | undefined {
  const part = parts[name];
  if (part === undefined) return undefined;
  return Math.max(Math.ceil(concurrency * part), name === 'sweep' ? sweeps : 0);
}

/** How much of the account's concurrency is reserved altogether. */
export const reservedConcurrency = (load: Load): number =>
  Object.keys(parts).reduce((sum, name) => sum + (reservedOf(name, load) ?? 0), 0);

/** What Lambda keeps for functions without a reservation, and refuses to reserve. */
export const unreservable = 100;

/** The least concurrency of which enough is left. */
export const minToReserve = 250;

/**
 * Reserves a part of the account's concurrency for functions, which may take no more.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export function reserveConcurrency(scope: Construct, load: Load): void {
  for (const child of scope.node.findAll()) {
    const reserved = child instanceof ServiceFunction ? reservedOf(child.node.id, load) : undefined;
    if (reserved === undefined) continue;
    const fn = child.node.defaultChild as CfnFunction;
    fn.reservedConcurrentExecutions = reserved;
  }
}
