import { aligned } from '../text.ts';
import type { Restoration } from './restore-tables.ts';
import type { StackStores } from './stack-stores.ts';

/** Says what is restored into what, and what is not. */
export function describeRestorations(
  to: Date,
  restorations: readonly Restoration[],
  unrestorable: readonly string[],
): string {
  const rows = restorations.map(({ source, target }) => [source, target]);
  return [
    `To ${to.toISOString()}:`,
    aligned([['table', 'restored into'], ...rows]),
    ...unrestorable.map((table) => `Not restored, as it has no recovery: ${table}.`),
  ].join('\n');
}

/** Says what is left to do until callers are served from restored tables. */
export function describeRest(
  stack: string,
  restorations: readonly Restoration[],
  unrestorable: readonly string[],
  { others }: StackStores,
): string {
  const names = [...restorations.map(({ target }) => target), ...unrestorable, ...others];
  return `Callers are still served from the old tables. To put the new ones in their place, with an outage of some minutes:

  npx cdk destroy ${stack}      # keeps every table, the buckets, the queues and the secrets (quire:removalPolicy=retain)
  npm run synth
  npm run adopt -- ${stack} \\
${names.map((name) => `    ${name}`).join(' \\\n')}

then the commands that adopt prints, and npm run deploy. The API's address is new unless quire:domain gives it one. After that
run npm run usage -- check --stack ${stack}, and npm run usage -- rebuild for each key that it names. What was charged after
the instant is not in the new tables: npm run usage -- export of the old stack has it, before it is destroyed. Objects of
the buckets are as they are now. Delete the old tables once you no longer want them.`;
}
