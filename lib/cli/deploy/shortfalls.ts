import {
  completionsPart,
  minToReserve,
  reservedConcurrency,
  unreservable,
} from '../../stack/settings/reserved-concurrency.ts';
import { prefix, type Settings } from '../../stack/settings/settings.ts';
import { fewerWorkers, workersPart } from '../../stack/settings/workers-part.ts';
import type { AccountQuotas } from './account-quotas.ts';
import { type Compared, compared, type Quota, waitingAt } from './compared.ts';
import { type Given, settingsOf } from './given-context.ts';

/** A quota of the account that is smaller than the settings need. */
export interface Shortfall {
  /** Says which quota is too small, and the consequence. */
  readonly sentence: string;
  /** The quota to have raised; absent where no quota is to blame. */
  readonly ask?: { readonly quota: Quota; readonly value: number };
  /** The settings that are lowered meanwhile, by their whole names. */
  readonly lowered: Record<string, unknown>;
}

/** A step of the comparison: it looks at the settings as the steps before have lowered them. */
type Step = (given: Given, quotas: AccountQuotas) => Shortfall | undefined;

/** Finds what the account lacks. Returns it with the settings that fit the account. */
export function shortfalls(given: Given, quotas: AccountQuotas) {
  const found: Shortfall[] = [];
  const lowered: Record<string, unknown> = {};
  // Reservation comes after the workers, as it is on by default where they leave room.
  for (const step of [unknownAccount, concurrency, pages, reservation, gateway, writes]) {
    const context = { ...given.context, ...lowered };
    const shortfall = step({ context, settings: settingsOf(context) }, quotas);
    if (!shortfall) continue;
    found.push(shortfall);
    Object.assign(lowered, shortfall.lowered);
  }
  return { found, lowered };
}

const rowOf = ({ settings }: Given, quotas: AccountQuotas, service: string) => {
  const row = compared(settings, quotas).find(({ quota }) => quota.service === service);
  return row && row.has < row.wants ? row : undefined;
};

/** Without Lambda's quota nothing is known to fit. What is reserved may be more than there is, and the deploy would fail. */
const unknownAccount: Step = ({ settings }, { lambda }) => {
  if (lambda.unknown === undefined) return undefined;
  return {
    sentence: `Lambda's quota of the account is not known, so nothing says that ${named('concurrency')} ${settings.concurrency} fits. Deploy with credentials that may ask for it (lambda:GetAccountSettings).`,
    lowered: settings.reservedConcurrency ? { [named('reservedConcurrency')]: false } : {},
  };
};

const minConcurrency = 10;

const concurrency: Step = (given, quotas) => {
  const row = rowOf(given, quotas, 'lambda');
  if (!row) return undefined;
  const { context, settings } = given;
  if (row.has >= settings.concurrency) return waiting(row, settings);
  const atOnce = Math.max(minConcurrency, row.has);
  const wantsReserved = `${context[named('reservedConcurrency')]}` === 'true';
  const isReserved = wantsReserved && atOnce >= minToReserve;
  const load = { ...settings, concurrency: atOnce };
  const workers = fewerWorkers(workersPart(isReserved), load);
  return lacking(
    row,
    `and ${named('concurrency')} is ${settings.concurrency}: the limits of requests and of workers would be for more than can run, and calls would be answered with 503.`,
    {
      ...changed(settings, { concurrency: atOnce, ...workers }),
      ...(wantsReserved && !isReserved && { [named('reservedConcurrency')]: false }),
    },
  );
};

/** What runs fits the account, and not the calls that may come. */
function waiting(row: Compared, { requestsPerSecond = 0, reservedConcurrency }: Settings) {
  const taken = reservedConcurrency
    ? `${named('reservedConcurrency')} leaves them ${Math.round(completionsPart * 100)} % of the quota, which takes`
    : 'with a third more for all others that takes';
  return lacking(
    row,
    `and calls of three seconds at ${named('requestsPerSecond')} wait in ${waitingAt(requestsPerSecond)} functions: ${taken} ${row.wants}. Calls beyond what may run would be answered with 503. Once it is raised, set ${named('concurrency')} to it.`,
  );
}

/** Other stacks may have reserved concurrency; what this stack has reserved is free to it. */
const reservation: Step = ({ settings }, { lambda, deployed }) => {
  if (!settings.reservedConcurrency || lambda.unknown !== undefined) return undefined;
  if (deployed.unknown !== undefined) return undefined;
  const needed = reservedConcurrency(settings);
  const free = lambda.value.unreserved + reservedIn(deployed.value) - unreservable;
  if (needed <= free) return undefined;
  return {
    sentence: `${named('reservedConcurrency')} would reserve ${needed} functions at once, and of the account's concurrency ${Math.max(0, free)} can be reserved: other stacks have the rest.`,
    lowered: { [named('reservedConcurrency')]: false },
  };
};

/** What a template's functions reserve; a stack that isn't there reserves nothing. */
const reservedIn = (template = '') =>
  [...template.matchAll(/"ReservedConcurrentExecutions":\s*(\d+)/g)].reduce(
    (sum, [, each]) => sum + Number(each),
    0,
  );

const pages: Step = (given, quotas) => {
  const row = rowOf(given, quotas, 'textract');
  if (!row) return undefined;
  const perSecond = Math.max(1, Math.floor(row.has));
  // Three workers for each page a second keep Textract busy; more only wait for it.
  const ocrWorkers = Math.min(given.settings.ocrWorkers, Math.max(2, 3 * perSecond));
  return lacking(
    row,
    `and ${named('textractPagesPerSecond')} is ${row.wants}: Textract would refuse pages, which are then asked for again and again.`,
    changed(given.settings, { textractPagesPerSecond: perSecond, ocrWorkers }),
  );
};

const gateway: Step = (given, quotas) => {
  const row = rowOf(given, quotas, 'apigateway');
  const limit = `and a method's limit is ${row?.wants}: all APIs of the account share less than that, so that callers hear 429 before.`;
  return row && lacking(row, limit);
};

const writes: Step = (given, quotas) => {
  const row = rowOf(given, quotas, 'dynamodb');
  const calls =
    given.settings.requestsPerSecond === undefined
      ? `calls of three seconds on all of ${named('concurrency')}`
      : `calls at ${named('requestsPerSecond')}`;
  return row && lacking(row, `and ${calls} write ${row.wants}: DynamoDB would refuse some.`);
};

const named = (name: keyof Settings) => `${prefix}${name}`;

/** Makes the shortfall of a quota; `outcome` ends its sentence. */
const lacking = (
  { quota, has, wants }: Compared,
  outcome: string,
  lowered: Shortfall['lowered'] = {},
): Shortfall => ({
  sentence: `The account's quota "${quota.name}" (${quota.code}) is ${has}, ${outcome}`,
  ask: { quota, value: wants },
  lowered,
});

/** Returns the settings that have changed, by their full names. */
const changed = (settings: Settings, now: Partial<Settings>) =>
  Object.fromEntries(
    Object.entries(now)
      .filter(([name, value]) => settings[name as keyof Settings] !== value)
      .map(([name, value]) => [`${prefix}${name}`, value]),
  );
