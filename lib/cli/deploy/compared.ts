import { requestRate } from '../../stack/settings/request-rates.ts';
import { completionsPart } from '../../stack/settings/reserved-concurrency.ts';
import type { Settings } from '../../stack/settings/settings.ts';
import { type AccountQuotas, quotaCodes } from './account-quotas.ts';

/** A quota of Service Quotas. */
export interface Quota {
  readonly service: string;
  readonly name: string;
  readonly code: string;
}

/** A quota, what the account has of it, and what the settings want. */
export interface Compared {
  readonly of: string;
  readonly quota: Quota;
  readonly has: number;
  readonly wants: number;
}

/** The quotas that are known, beside what the settings want of each. */
export function compared(settings: Settings, quotas: AccountQuotas): Compared[] {
  const { lambda, gateway: rate, textract, table } = quotas;
  const rows: (Compared | false)[] = [
    lambda.unknown === undefined && {
      of: 'Lambda: functions at once',
      quota: quotaCodes.lambda,
      has: lambda.value.concurrency,
      wants: Math.max(settings.concurrency, functionsFor(settings)),
    },
    textract.unknown === undefined && {
      of: 'Textract: pages a second',
      quota: { service: 'textract', ...textract.value },
      has: textract.value.pagesPerSecond,
      wants: settings.textractPagesPerSecond,
    },
    rate.unknown === undefined && {
      of: 'API Gateway: requests a second',
      quota: quotaCodes.gateway,
      has: rate.value,
      wants: requestRate('stream', settings.concurrency, settings.requestsPerSecond).rate,
    },
    table.unknown === undefined && {
      of: 'DynamoDB: write units a second, of the ledger',
      quota: quotaCodes.table,
      has: table.value,
      wants: ledgerWrites(settings),
    },
  ];
  return rows.filter((row) => row !== false);
}

/** How long a call waits for its model, in seconds, and what part of all functions others have. */
const waitSeconds = 3;
const othersPart = 0.25;

/** How many functions wait for models at once, at the given rate of requests. */
export const waitingAt = (requestsPerSecond: number): number => requestsPerSecond * waitSeconds;

/** How many functions must run at once for the requests a second that are set, if any are, with room for all others. */
function functionsFor(settings: Settings): number {
  const { requestsPerSecond, reservedConcurrency } = settings;
  if (requestsPerSecond === undefined) return 0;
  const part = reservedConcurrency ? completionsPart : 1 - othersPart;
  return Math.ceil(waitingAt(requestsPerSecond) / part);
}

/** A call takes three; refused holds and audits take the rest, as `npm run simulate` counts them at 10,000 a second. */
const unitsOfCall = 3.4;

/** Without a rate of its own, half of the functions wait for models, three seconds for each. */
const ledgerWrites = ({ concurrency: atOnce, requestsPerSecond }: Settings) =>
  requestsPerSecond === undefined
    ? Math.ceil((atOnce * 0.5 * 3) / 3)
    : Math.ceil(requestsPerSecond * unitsOfCall);
