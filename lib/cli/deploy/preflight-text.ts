import { aligned } from '../text.ts';
import type { AccountQuotas } from './account-quotas.ts';
import type { Compared } from './compared.ts';
import type { Shortfall } from './shortfalls.ts';

/** Describes an account's quotas: those that are too small, the requests to raise them, and unknown ones. */
export function describePreflight(
  stackName: string,
  rows: readonly Compared[],
  found: readonly Shortfall[],
  quotas: AccountQuotas,
): string {
  const table = rows.map(({ of, quota, has, wants }) => [of, quota.code, `${has}`, `${wants}`]);
  return [
    rows.length > 0 &&
      aligned([[`quotas for ${stackName}`, 'code', 'account', 'wanted'], ...table]),
    ...found.map(describeShortfall),
    ...rows.filter(hasRoom).map(describeRoom),
    ...unknownOf(quotas),
  ]
    .filter((part) => part !== false)
    .join('\n\n');
}

function describeShortfall({ sentence, ask, lowered }: Shortfall): string {
  const names = Object.entries(lowered).map(([name, value]) => `${name}=${value}`);
  return [
    sentence,
    ...(ask
      ? [
          'Ask for more:',
          `  aws service-quotas request-service-quota-increase --service-code ${ask.quota.service} --quota-code ${ask.quota.code} --desired-value ${ask.value}`,
        ]
      : []),
    ...(names.length > 0 ? [`Meanwhile ${names.join(', ')}.`] : []),
  ].join('\n');
}

/** Settings that an account has more room for than they take, and that nothing else sets. */
const roomy: Record<string, string> = {
  lambda: 'quire:concurrency',
  textract: 'quire:textractPagesPerSecond',
};

const hasRoom = ({ quota, has, wants }: Compared) => quota.service in roomy && has > wants;

const describeRoom = ({ quota, has }: Compared) =>
  `The account has more than ${roomy[quota.service]} says: -c ${roomy[quota.service]}=${Math.floor(has)} makes use of it.`;

const labels: Record<keyof AccountQuotas, string> = {
  lambda: "Lambda's functions at once (lambda:GetAccountSettings)",
  deployed: 'what is deployed (cloudformation:GetTemplate)',
  gateway: "API Gateway's requests a second (apigateway:GET on /account)",
  textract: "Textract's pages a second (servicequotas:ListServiceQuotas)",
  table: "DynamoDB's write units (servicequotas:ListServiceQuotas)",
};

/** The quotas that are unknown, by reason: without credentials all have the same one. */
function unknownOf(quotas: AccountQuotas): string[] {
  const names = (Object.keys(quotas) as (keyof AccountQuotas)[]).filter(
    (name) => quotas[name].unknown !== undefined,
  );
  const byReason = Map.groupBy(names, (name) => quotas[name].unknown);
  return [...byReason].map(
    ([reason, of]) => `Not known: ${of.map((name) => labels[name]).join('; ')}.\n  ${reason}`,
  );
}
