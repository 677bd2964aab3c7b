import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { timeOfId } from '../uuid-time.ts';
import { type Account, accountKey } from './account.ts';
import type { Accuracy, Charge } from './charge.ts';
import { epochOf, heldAttribute, settledAttribute } from './epoch.ts';
import { toUsd } from './nano-usd.ts';
import type { Hold } from './reserve.ts';
import { sendOnce } from './send-once.ts';

/** What a call used and cost. */
export interface Outcome {
  costNanoUsd: number;
  figures: Accuracy;
  promptTokens: number;
  completionTokens: number;
  /** Pages read by OCR. */
  images?: number;
}

/** The attributes with which a charge ends. */
type Ending = Pick<Charge, 'status' | 'cost' | 'figures' | 'failed'> &
  Pick<Charge, 'prompt_tokens' | 'completion_tokens' | 'images'>;

const endingOf = (outcome: Outcome): Ending => ({
  status: 'settled',
  cost: outcome.costNanoUsd,
  figures: outcome.figures,
  prompt_tokens: outcome.promptTokens,
  completion_tokens: outcome.completionTokens,
  ...(outcome.images !== undefined && { images: outcome.images }),
});

/**
 * Ends a charge with its cost, and moves the account's hold to spent. Returns the account; undefined if the
 * charge had ended before, or if the account is left to the audit. Throws if the charge could not be written.
 */
export function settle(hold: Hold, outcome: Outcome): Promise<Account | undefined> {
  return end(hold, endingOf(outcome));
}

/**
 * Ends a charge as `settle` does, in one transaction with the writes of what the call produced: all happen, or
 * none. Returns false if the condition of such a write failed, because the product is there already: the
 * hold is given back then, and nothing is charged. Any error gives the hold back too, and is thrown.
 *
 * The transaction takes the charge and never the account. An account changes all the time, and DynamoDB
 * refuses plain updates of an item while a transaction holds it.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export async function settleWith(
  hold: Hold,
  outcome: Outcome,
  products: TransactWriteItem[],
): Promise<boolean> {
  await Promise.allSettled([hold.written]);
  const ending = endingOf(outcome);
  try {
    const update = { Update: chargeUpdate(hold.charge, ending) };
    const failed = await writeTransaction([update, ...products]);
    if (failed?.includes(0)) throw new Error('The charge ended before its call did');
    if (!failed) await credit(hold.charge, ending);
    else await release(hold);
    return !failed;
  } catch (error) {
    await release(hold);
    throw error;
  }
}

/** Ends a charge without a cost, and gives the hold back. Returns what `settle` does. */
export function release(hold: Hold): Promise<Account | undefined> {
  return end(hold, { status: 'released', failed: true });
}

async function end({ charge, written }: Hold, ending: Ending): Promise<Account | undefined> {
  await Promise.allSettled([written]);
  return (await endCharge(charge, ending)) ? credit(charge, ending) : undefined;
}

/** Measures an ended charge and credits its account. The charge says how it ended, so this may fail. */
async function credit(charge: Charge, ending: Ending): Promise<Account | undefined> {
  const { status, cost = 0, prompt_tokens = 0, completion_tokens = 0 } = ending;
  if (status === 'settled') {
    const tokens = { PromptTokens: prompt_tokens, CompletionTokens: completion_tokens };
    measure({ ...tokens, SpendUsd: toUsd(cost) }, { model: charge.model });
  }
  try {
    return await creditAccount(charge, cost);
  } catch (error) {
    // The audit compares the account with its charges, and credits what this did not.
    log('error', 'account not credited', { key_id: charge.key_id, ...errorFields(error) });
    return undefined;
  }
}

/**
 * held → settled or released. Returns false if the charge had ended before. A charge that could not be written
 * when it was held is written here as it ended.
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

/**
 * Moves an ended charge's hold out of held, and its cost to spent. Returns undefined if an audit has closed the
 * charge's epoch, and so has credited the account already.
 */
async function creditAccount(
  { key_id, entry, hold }: Charge,
  costNanoUsd: number,
): Promise<Account | undefined> {
  const epoch = epochOf(timeOfId(entry));
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
        ExpressionAttributeNames: {
          '#held': heldAttribute(epoch),
          '#settled': settledAttribute(epoch),
        },
        ExpressionAttributeValues: {
          ':hold': hold,
          ':cost': costNanoUsd,
          ':back': hold - costNanoUsd,
          ':zero': 0,
        },
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  return credited?.Attributes as Account | undefined;
}
