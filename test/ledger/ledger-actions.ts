import fc from 'fast-check';
import { getItem, queryItems } from '../../shared/aws/dynamodb.ts';
import { sqs } from '../../shared/aws/sqs.ts';
import { setting } from '../../shared/config.ts';
import { findAccount } from '../../shared/ledger/account/account.ts';
import { epochOf, recountAttribute } from '../../shared/ledger/account/epoch.ts';
import { admit } from '../../shared/ledger/admission.ts';
import type { LateCall } from '../../shared/ledger/audit/late-call.ts';
import { bookLateCalls } from '../../shared/ledger/book-late.ts';
import { changeAccountLimits } from '../../shared/ledger/change-limits.ts';
import type { Leases } from '../../shared/ledger/leases/lease-set.ts';
import { noteUse } from '../../shared/ledger/note-use.ts';
import { setFurtherLimits } from '../../shared/ledger/owner-limits.ts';
import { closeParts } from '../../shared/ledger/parts/close.ts';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { raiseHold } from '../../shared/ledger/raise-hold.ts';
import { type Hold, reserveByPlan } from '../../shared/ledger/reserve.ts';
import { release, settle, settleWith } from '../../shared/ledger/settle.ts';
import {
  endStanding,
  type StandingCall,
  settleStanding,
} from '../../shared/ledger/settle-standing.ts';
import {
  findStanding,
  holdStanding,
  type StandingHold,
} from '../../shared/ledger/standing-hold.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import type { ChargeSubject } from '../../shared/ledger/terms/charge.ts';
import type { HoldPlan } from '../../shared/ledger/terms/hold-plan.ts';
import { BusyAccountError } from '../../shared/ledger/terms/limit-errors.ts';
import { eventOf, recordOf } from '../support/servers/queue.ts';
import { dayMs, minuteMs } from '../support/worlds/clock.ts';
import type { Fault } from '../support/worlds/interleave.ts';
import { accountOf, usd } from '../support/worlds/ledger-world.ts';

/** The accounts to which things happen. Without teams a key is in none. */
export interface Accounts {
  keyIds: string[];
  teamIds: string[];
  /** Whether keys and teams have further limits, and calls name customers. */
  hasFurther?: boolean;
  /** Whether accounts have limits of requests. */
  limitsRequests?: boolean;
}

/**
 * A call that holds money, as whoever made it sees it; whether its product was written, if that is known; what was noted of
 * it, or may have been; and whether a note was certainly written.
 */
export interface Call {
  hold: Hold;
  isKept?: boolean;
  notes?: number[];
  isNoted?: boolean;
}

const weights = {
  reserve: 4,
  fit: 3,
  settle: 4,
  produce: 3,
  release: 1,
  raise: 3,
  note: 3,
  overrun: 2,
  call: 2,
  admit: 2,
  sweep: 2,
  change: 1,
  move: 1,
  book: 3,
  grow: 3,
  close: 1,
  stand: 3,
  group: 4,
  unstand: 2,
  limit: 1,
};
type Kind = keyof typeof weights;

const aFault = fc.record<Fault>({
  // Few processes make more than five requests.
  at: fc.oneof(
    { weight: 4, arbitrary: fc.nat(4) },
    { weight: 1, arbitrary: fc.constantFrom(5, 6, 7, 8) },
  ),
  kind: fc.constantFrom('dies before', 'fails', 'answer lost'),
});

/** Something that a process does to an account; the picks choose among accounts, and calls made before. */
const anActionOf = (kinds: Kind[]) =>
  fc.record({
    kind: fc.oneof(
      ...kinds.map((kind) => ({ weight: weights[kind], arbitrary: fc.constant(kind) })),
    ),
    pick: fc.nat(99),
    pickKey: fc.nat(99),
    pickTeam: fc.nat(99),
    hold: fc.integer({ min: 1, max: 400 }),
    costPercent: fc.nat(100),
    budget: fc.integer({ min: 0, max: 1000 }),
    duration: fc.constantFrom(
      null,
      '10s',
      '7m',
      '1h',
      '1mo',
      'day, UTC',
      'month from 31, Asia/Kolkata',
    ),
    extra: fc.option(fc.integer({ min: 0, max: 500 })),
    requests: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 2 }),
    atOnce: fc.option(fc.integer({ min: 0, max: 6 }), { freq: 2 }),
    fault: fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: aFault },
    ),
  });

const everything = (Object.keys(weights) as Kind[]).filter((kind) => kind !== 'limit');

const anAction = anActionOf(everything);

export type Action = typeof anAction extends fc.Arbitrary<infer Value> ? Value : never;

/** Things that happen at once, some time after what was before, in an order of their own. */
export interface Batch {
  afterMs: number;
  actions: Action[];
  order: number[];
}

const anOrder = fc.array(fc.nat(99), { minLength: 1, maxLength: 20 });

const aBatch = fc.record<Batch>({
  afterMs: fc.constantFrom(0, 1, 5_000, 7 * minuteMs, 27 * minuteMs, dayMs, 32 * dayMs),
  actions: fc.array(anAction, { minLength: 1, maxLength: 5 }),
  order: anOrder,
});

const sweep = { kind: 'sweep' } as Action;

/**
 * Long after every call: two sweeps, one of which may die, beside callers who were only late and new ones;
 * and long after those, sweeps again.
 */
const lastBatches = fc
  .record({
    fault: fc.option(aFault, { nil: undefined }),
    order: anOrder,
    others: fc.array(
      anActionOf(['settle', 'release', 'reserve', 'raise', 'overrun', 'note', 'book']),
      { ...{ maxLength: 4, size: 'max' } },
    ),
  })
  .map(({ fault, order, others }): Batch[] => [
    { afterMs: 27 * minuteMs, order, actions: [{ ...sweep, fault }, sweep, ...others] },
    { afterMs: 27 * minuteMs, order, actions: [sweep, sweep] },
    { afterMs: minuteMs, order, actions: [sweep] },
  ]);

const historyOf = (batches: fc.Arbitrary<Batch[]>) =>
  fc.tuple(batches, lastBatches).map(([before, last]) => [...before, ...last]);

/** Anything that may happen to an account until it is at rest. */
export const aHistory = historyOf(fc.array(aBatch, { minLength: 1, maxLength: 12, size: 'max' }));

const batchOf = (afterMs: number, ...kinds: Kind[]) =>
  fc.record<Batch>({
    afterMs: fc.constant(afterMs),
    actions: fc.array(anActionOf(kinds), { minLength: 2, maxLength: 4, size: 'max' }),
    order: anOrder,
  });

/** Some sums stand while windows end, limits change and keys move; they are settled in groups, whoever dies. */
export const aStandingHold = historyOf(
  fc.tuple(
    batchOf(0, 'stand', 'reserve'),
    batchOf(1, 'stand', 'group', 'move', 'call'),
    batchOf(27 * minuteMs, 'group', 'sweep', 'unstand', 'settle'),
    batchOf(7 * minuteMs, 'group', 'stand', 'change', 'sweep'),
    batchOf(5_000, 'group', 'unstand', 'reserve', 'book'),
  ),
);

/** Some calls begin beside others that end, while their key goes from team to team, and back. */
export const aMove = historyOf(
  fc.tuple(
    batchOf(0, 'reserve', 'fit'),
    batchOf(1, 'move', 'reserve', 'settle', 'produce'),
    batchOf(1, 'move', 'call', 'fit', 'settle'),
  ),
);

/** Calls of some customers begin and end under further limits, which change and are taken away. */
export const aFurtherLimit = historyOf(
  fc
    .tuple(
      batchOf(0, 'reserve', 'fit', 'call'),
      batchOf(1, 'reserve', 'limit', 'settle', 'produce', 'admit', 'stand'),
      batchOf(1, 'call', 'raise', 'overrun', 'limit', 'release', 'reserve', 'move'),
      fc.array(
        fc
          .constantFrom(1, 5_000, 30_000, 7 * minuteMs, 27 * minuteMs)
          .chain((afterMs) => batchOf(afterMs, ...everything, 'limit', 'limit')),
        { minLength: 1, maxLength: 6, size: 'max' },
      ),
    )
    .map(([first, second, third, others]) => [first, second, third, ...others]),
);

/** Some calls begin, and next the sweeps come. */
export const aLostStart = historyOf(fc.tuple(batchOf(0, 'reserve')));

/** Many calls begin soon one after another, and end; later what was held for others is given back. */
export const aLeasedStart = historyOf(
  fc.tuple(
    batchOf(0, 'reserve', 'fit'),
    batchOf(1, 'reserve', 'call', 'settle', 'produce'),
    batchOf(1_000, 'call', 'release', 'settle', 'reserve'),
    batchOf(5_000, 'settle', 'note', 'change', 'call', 'reserve', 'admit'),
    batchOf(5_000, 'settle', 'call', 'raise', 'overrun'),
  ),
);

/** Some calls are noted while they go on, and many die: next the sweeps come. */
export const aNotedCall = historyOf(
  fc.tuple(
    batchOf(0, 'reserve', 'fit', 'reserve'),
    batchOf(1, 'note', 'note', 'raise', 'settle', 'move'),
    batchOf(5_000, 'note', 'settle', 'produce', 'release', 'change'),
    batchOf(7 * minuteMs, 'note', 'note', 'settle', 'overrun', 'book'),
  ),
);

/** Some calls begin, and next their window has ended. */
export const aNewWindow = historyOf(
  fc.tuple(
    batchOf(0, 'reserve'),
    batchOf(7 * minuteMs, 'call', 'settle', 'produce', 'change', 'raise', 'overrun'),
  ),
);

/** Some calls end whose credits are lost, and are handed over; their epochs are recounted beside others that end. */
export const aLostCredit = historyOf(
  fc.tuple(
    batchOf(0, 'reserve', 'fit'),
    batchOf(1, 'settle', 'produce', 'call', 'release'),
    batchOf(1, 'settle', 'raise', 'call', 'overrun'),
    batchOf(5_000, 'book', 'settle', 'produce', 'call', 'book'),
    batchOf(7 * minuteMs, 'book', 'settle', 'change'),
  ),
);

/** Calls of accounts with parts begin and end, beside shares that move, parts that come and go, and limits that change. */
export const aGrowth = historyOf(
  fc
    .tuple(
      batchOf(0, 'grow', 'grow'),
      batchOf(0, 'reserve', 'fit', 'grow', 'admit'),
      batchOf(1, 'reserve', 'call', 'raise', 'close', 'change', 'change', 'move', 'grow'),
      fc.array(
        fc
          .constantFrom(1, 5_000, 30_000, 7 * minuteMs, 27 * minuteMs)
          .chain((afterMs) => batchOf(afterMs, ...(Object.keys(weights) as Kind[]))),
        { minLength: 1, maxLength: 6, size: 'max' },
      ),
    )
    .map(([first, second, third, others]) => [first, second, third, ...others]),
);

/** Calls that want more than a part has come at once, again and again, beside shares that move for them. */
export const aRush = historyOf(
  fc.tuple(
    batchOf(0, 'reserve', 'fit', 'admit', 'call'),
    batchOf(0, 'reserve', 'fit', 'release', 'call', 'grow'),
    batchOf(1, 'reserve', 'raise', 'release', 'overrun', 'close'),
    batchOf(1, 'reserve', 'settle', 'change', 'change', 'change', 'raise', 'grow'),
    batchOf(1, 'reserve', 'fit', 'settle', 'raise'),
  ),
);

/** Some calls begin that turn out to cost more than they hold, beside others that want the same money. */
export const anOverrun = historyOf(
  fc.tuple(
    batchOf(0, 'reserve', 'fit'),
    batchOf(1, 'raise', 'overrun', 'reserve', 'settle', 'move'),
    batchOf(1, 'raise', 'overrun', 'produce', 'call', 'change'),
  ),
);

/** What calls are for. */
export const subject = { model: 'gpt-5-mini', tags: ['chat'] };

/** How many products there can be. */
const products = 7;

/** Does it. */
export async function perform(
  { keyIds, teamIds, hasFurther = false, limitsRequests = false }: Accounts,
  calls: Call[],
  { kind, pick, pickKey, pickTeam, hold, costPercent, budget, duration, extra, ...limits }: Action,
  leases?: Leases,
): Promise<void> {
  const keyId = keyIds[pickKey % keyIds.length] ?? '';
  const of = hasFurther ? { ...subject, metadata: { customer: `c${pick % 3}` } } : subject;
  const begin = (amount: number | HoldPlan) => beginOf(keyId, amount, of, leases);
  switch (kind) {
    case 'reserve':
      calls.push(await begin(hold));
      return;
    case 'fit':
      calls.push(await begin(fittedTo(hold)));
      return;
    case 'call': {
      const call = await begin(hold);
      calls.push(call);
      return end(call, costPercent);
    }
    case 'admit': {
      const plan = { fit: () => ({ holdNanoUsd: hold }) };
      const admission = await admit(keyId, of, plan, new AbortController().signal);
      // The function of every other one dies.
      return pick % 2 === 0 ? admission.end() : undefined;
    }
    case 'settle':
    case 'release': {
      const call = calls[pick % calls.length];
      return call && end(call, kind === 'settle' ? costPercent : undefined);
    }
    case 'note': {
      const call = calls[pick % calls.length];
      return call && note(call, costPercent);
    }
    case 'raise':
    case 'overrun': {
      const call = calls[pick % calls.length];
      if (!call || call.hold.isEnded) return;
      await raiseHold(call.hold, hold, { orLess: kind === 'overrun' });
      return kind === 'overrun' ? end(call, 100) : undefined;
    }
    case 'produce': {
      const call = calls[pick % calls.length];
      return call && produce(call, pick % products, costPercent);
    }
    case 'book':
      // A message may come again, and in a batch with others.
      return book(handedOver.slice(pick % (handedOver.length + 1)));
    case 'stand':
      return stand(keyId, of, `batch-${pick % batches}`, hold);
    case 'group':
      return settleGroup(keyId, `batch-${pick % batches}`, pickTeam, costPercent);
    case 'unstand':
      return unstand(keyId, `batch-${pick % batches}`);
    case 'sweep':
      return sweepLedger();
    case 'limit': {
      const id = teamIds[pickTeam % (teamIds.length + 1)] ?? keyId;
      return setFurtherLimits(id, furtherLimits(budget, limits.requests ?? 9, pick));
    }
    case 'change':
      return changeAccountLimits(teamIds[pickTeam % (teamIds.length + 1)] ?? keyId, {
        budget_usd: usd(budget),
        duration,
        requests_per_minute: limitsRequests ? limits.requests : null,
        max_concurrent: limitsRequests ? limits.atOnce : null,
        extra_usd: extra === null ? undefined : usd(extra),
      });
    case 'grow': {
      const id = teamIds[pickTeam % (teamIds.length + 1)] ?? keyId;
      // More parts make nothing else happen, and each takes its time.
      if (((await findAccount(id))?.open_parts ?? 1) < 4) await grow(id);
      return;
    }
    case 'close':
      return closeParts(teamIds[pickTeam % (teamIds.length + 1)] ?? keyId);
    case 'move':
      if (teamIds.length === 0) return;
      return putInTeam(keyId, teamIds[pickTeam % (teamIds.length + 1)] ?? null);
  }
}

/** Some limits of a sum, which `pick` chooses among. */
export function furtherLimits(nanoUsd: number, requests: number, pick: number): string[] {
  const sum = (nanoUsd / 1e9).toFixed(9);
  return [
    `budget-usd=${sum}/7m`,
    `gpt-5-mini:budget-usd=${sum}/day`,
    `another:budget-usd=0`,
    `customer:budget-usd=${sum}/1h`,
    `tokens-per-minute=${nanoUsd}`,
    `gpt-5-mini:requests-per-minute=${requests}`,
    `customer:max-concurrent=${requests}`,
  ].filter((_, index) => (pick >> index) % 2 === 0);
}

/** The bodies of the messages that were sent to the queue of late calls. */
const handedOver: string[] = [];

sqs.middlewareStack.add(
  (next) => async (args) => {
    const sent = await next(args);
    handedOver.push(String((args.input as { MessageBody?: string }).MessageBody));
    return sent;
  },
  { step: 'initialize', priority: 'low', name: 'handedOver' },
);

const book = async (bodies: string[]): Promise<void> => {
  await bookLateCalls(eventOf(...bodies.map((body) => recordOf(body))));
};

/** Forgets the calls that were handed over before. */
export const forgetHandedOver = () => handedOver.splice(0);

/** Books all calls that were handed over, twice each. Returns the entries of those whose charge was not written. */
export async function bookAll(): Promise<string[]> {
  for (const body of [...handedOver, ...handedOver]) await book([body]);
  const calls = handedOver.map((body): LateCall => JSON.parse(body));
  return calls.flatMap(({ charge, lacksCredit }) => (lacksCredit ? [] : charge.entry));
}

/** Holds all that is wanted if a third of what is available covers it, else a third, or 10 if that is more. */
const fittedTo = (wanted: number): HoldPlan => ({
  fit: ({ available }) =>
    available >= 3 * wanted
      ? { holdNanoUsd: wanted, from: 3 * wanted }
      : { holdNanoUsd: Math.max(10, Math.floor(available / 3)), below: 3 * wanted },
});

async function beginOf(
  keyId: string,
  amount: number | HoldPlan,
  of: ChargeSubject,
  leases: Leases | undefined,
): Promise<Call> {
  const plan =
    typeof amount === 'number' ? { fit: () => ({ holdNanoUsd: amount, tokens: amount }) } : amount;
  const { hold } = await reserveByPlan(keyId, plan, of, { leases });
  return { hold };
}

async function end({ hold }: Call, costPercent: number | undefined): Promise<void> {
  await (costPercent === undefined ? release(hold) : settle(hold, costing(hold, costPercent)));
}

async function note(call: Call, costPercent: number): Promise<void> {
  const used = costing(call.hold, costPercent);
  call.notes = [...(call.notes ?? []), used.costNanoUsd];
  if (await noteUse(call.hold, used)) call.isNoted = true;
}

/**
 * Settles a call with the write of its product, of which there may be one by another call already. One of an odd number
 * has the next product for a fallback.
 */
async function produce(call: Call, product: number, costPercent: number): Promise<void> {
  const { hold } = call;
  if (hold.isEnded) return;
  const writeOf = (number: number) => ({
    Put: {
      TableName: setting('LEDGER_TABLE'),
      Item: { key_id: hold.charge.key_id, entry: `product_${number}`, of: hold.charge.entry },
      ConditionExpression: 'attribute_not_exists(entry)',
    },
  });
  const fallback = [writeOf((product + 1) % products)];
  const written = { writes: [writeOf(product)], ...(product % 2 && { fallback }) };
  try {
    call.isKept = (await settleWith(hold, costing(hold, costPercent), written)) !== undefined;
  } catch (error) {
    if (!(error as Error).message.includes('had ended before')) throw error;
  }
}

/** How many batches of a key may stand; each once. */
const batches = 3;

/** What is written with a standing hold, so that it is held once, though it may have ended. */
const stand = async (keyId: string, use: ChargeSubject, id: string, holdNanoUsd: number) => {
  const isThere = await getItem(setting('LEDGER_TABLE'), { key_id: keyId, entry: `plan_${id}` });
  if (isThere) return;
  const Item = { key_id: keyId, entry: `plan_${id}`, hold: holdNanoUsd };
  const plan = onceOnly(Item);
  const standing = { keyId, use, id, holdNanoUsd, jobId: 'job_1' };
  await holdStanding(standing, [plan]).catch((error: unknown) => {
    if (!(error as Error).message.includes('there already')) throw error;
  });
};

const onceOnly = (Item: { key_id: string; entry: string }) => ({
  Put: {
    ...{ TableName: setting('LEDGER_TABLE'), Item },
    ConditionExpression: 'attribute_not_exists(entry)',
  },
});

/** Settles a group of a batch's lines, some of which others may have settled before. A line costs a part of its share. */
async function settleGroup(keyId: string, id: string, from: number, costPercent: number) {
  const standing = await findStanding(keyId, id);
  if (!standing) return;
  const share = Math.floor(standing.hold / 4);
  const calls = [from % 5, (from % 5) + 1].map((line): StandingCall => {
    const writes: StandingCall['writes'] = [
      onceOnly({ key_id: keyId, entry: `line_${id}_${line}` }),
    ];
    const costNanoUsd = Math.floor((share * costPercent) / 100);
    const used = { figures: 'exact' as const, promptTokens: 1, completionTokens: 1 };
    const outcome = line % 3 === 2 ? undefined : { costNanoUsd, ...used };
    return { subject, holdNanoUsd: share, outcome, writes };
  });
  await settleStanding(keyId, id, calls).catch(expectRecount(standing));
}

async function unstand(keyId: string, id: string): Promise<void> {
  const standing = await findStanding(keyId, id);
  if (standing) await endStanding(keyId, id).catch(expectRecount(standing));
}

/** Expects of an error that it says to wait for the next epoch, as credits of this one are to be counted again. */
const expectRecount =
  ({ key_id, team = key_id, further = {} }: StandingHold) =>
  async (error: unknown) => {
    const recount = recountAttribute(epochOf(Date.now()));
    const accounts = await Promise.all([key_id, team, ...Object.keys(further)].map(accountOf));
    const isCounted = accounts.some((account) => account[recount]);
    if (!(error instanceof BusyAccountError && isCounted)) throw error;
  };

/** Ends what still stands. */
export async function endAllStanding(keyIds: string[]): Promise<void> {
  for (const keyId of keyIds) {
    for (let batch = 0; batch < batches; batch += 1) await endStanding(keyId, `batch-${batch}`);
  }
}

/** How many lines of batches were written. */
export const linesWritten = async (keyId: string): Promise<number> => {
  const lines = queryItems<{ entry: string }>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(entry, :line)',
    ExpressionAttributeValues: { ':key': keyId, ':line': 'line_' },
    ConsistentRead: true,
  });
  return (await Array.fromAsync(lines)).length;
};

/** The products that were written for calls of a key: each names its call's charge. */
export const productsOf = (keyId: string) =>
  Array.fromAsync(
    queryItems<{ of: string }>({
      TableName: setting('LEDGER_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :product)',
      ExpressionAttributeValues: { ':key': keyId, ':product': 'product_' },
      ConsistentRead: true,
    }),
  );

const costing = ({ charge }: Hold, percent: number) =>
  ({
    costNanoUsd: Math.floor((charge.hold * percent) / 100),
    figures: 'exact',
    // No provider takes more tokens than were held.
    promptTokens: Math.min(2, charge.hold_tokens ?? 0),
    completionTokens: 0,
  }) as const;
