import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { failedConditions, type TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { type Account, accountKey } from './account.ts';
import type { Charge, Figures } from './charge.ts';
import { epochOf, heldName, settledName, timeOf } from './epoch.ts';
import { toUsd } from './nano-usd.ts';
import type { Hold } from './reserve.ts';
import { sendOnce } from './send-once.ts';

/** What a call came to. */
export interface Outcome {
  cost: number;
  figures: Figures;
  promptTokens: number;
  completionTokens: number;
  images?: number;
}

const endingOf = (outcome: Outcome): Ending => ({
  status: 'settled',
  cost: outcome.cost,
  figures: outcome.figures,
  prompt_tokens: outcome.promptTokens,
  completion_tokens: outcome.completionTokens,
  ...(outcome.images !== undefined && { images: outcome.images }),
});

/** Ends a charge with its cost, once, and moves the account's hold to spent; answers the account. */
export function settle(hold: Hold, outcome: Outcome): Promise<Account | undefined> {
  return end(hold, endingOf(outcome));
}

/**
 * The same, in one transaction with the write of what the call produced: both are there, or neither.
 * False, and nothing is charged, where what it would write is there already. Only the charge takes part,
 * never the account: that is hot, and plain updates of it never conflict.
 */
export async function settleWith(
  hold: Hold,
  outcome: Outcome,
  product: TransactWriteItem,
): Promise<boolean> {
  await Promise.allSettled([hold.written]);
  const ending = endingOf(outcome);
  try {
    const update = { Update: chargeUpdate(hold.charge, ending) };
    const failed = await failedConditions([update, product]);
    if (failed && !failed.includes(1)) throw new Error('The charge ended before its call did');
    if (!failed) await credit(hold.charge, ending);
    else await release(hold);
    return !failed;
  } catch (error) {
    await release(hold);
    throw error;
  }
}

/** Ends a charge that cost nothing, and gives the hold back. */
export function release(hold: Hold): Promise<Account | undefined> {
  return end(hold, { status: 'released', failed: true });
}

type Ending = Pick<Charge, 'status' | 'cost' | 'figures' | 'failed'> &
  Pick<Charge, 'prompt_tokens' | 'completion_tokens' | 'images'>;

async function end({ charge, written }: Hold, ending: Ending): Promise<Account | undefined> {
  await Promise.allSettled([written]);
  return (await endCharge(charge, ending)) ? credit(charge, ending) : undefined;
}

async function credit(charge: Charge, ending: Ending): Promise<Account | undefined> {
  const { status, cost = 0, prompt_tokens = 0, completion_tokens = 0 } = ending;
  if (status === 'settled') {
    const tokens = { PromptTokens: prompt_tokens, CompletionTokens: completion_tokens };
    measure({ ...tokens, SpendUsd: toUsd(cost) }, { model: charge.model });
  }
  try {
    return await creditAccount(charge, cost);
  } catch (error) {
    // The call is over and its charge says so: the audit credits the account, if this did not.
    log('error', 'account not credited', { key_id: charge.key_id, ...errorFields(error) });
    return undefined;
  }
}

/**
 * held → settled or released; false if it has ended before. A charge that could not be written when it
 * was held is written as it ended.
 */
export async function endCharge(charge: Charge, ending: Ending): Promise<boolean> {
  const update = new UpdateCommand(chargeUpdate(charge, ending));
  return (await unlessConditionFails(dynamodb.send(update))) !== undefined;
}

function chargeUpdate(charge: Charge, ending: Ending) {
  const { key_id, entry, ...rest } = charge;
  const ended = { ...rest, ...ending, ended_at: new Date().toISOString() };
  const names = Object.keys(ended);
  return {
    TableName: setting('LEDGER_TABLE'),
    Key: { key_id, entry },
    ConditionExpression: 'attribute_not_exists(#status) OR #status = :was',
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(ended).map(([name, value]) => [`:${name}`, value])),
      ':was': 'held',
    },
  };
}

/** Moves an ended charge's hold out of held, and its cost to spent, unless an audit has done so. */
async function creditAccount(
  { key_id, entry, hold }: Charge,
  cost: number,
): Promise<Account | undefined> {
  const epoch = epochOf(timeOf(entry));
  const credited = await unlessConditionFails(
    sendOnce(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: accountKey(key_id),
        ConditionExpression: 'attribute_exists(#held)',
        UpdateExpression: `SET ${[
          'held = held - :hold',
          'spent = spent + :cost',
          'available = available + :back',
          '#held = #held - :hold',
          '#settled = if_not_exists(#settled, :zero) + :cost',
        ].join(', ')}`,
        ExpressionAttributeNames: { '#held': heldName(epoch), '#settled': settledName(epoch) },
        ExpressionAttributeValues: {
          ':hold': hold,
          ':cost': cost,
          ':back': hold - cost,
          ':zero': 0,
        },
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  return credited?.Attributes as Account | undefined;
}
