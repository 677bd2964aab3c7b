import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { type Account, accountKey } from './account.ts';
import type { Charge, Figures } from './charge.ts';
import { epochOf, heldName, settledName, timeOf } from './epoch.ts';
import type { Hold } from './reserve.ts';
import { sendOnce } from './send-once.ts';

/** What a call came to. */
export interface Outcome {
  cost: number;
  figures: Figures;
  promptTokens: number;
  completionTokens: number;
}

/** Ends a charge with its cost, once, and moves the account's hold to spent; answers the account. */
export function settle(hold: Hold, outcome: Outcome): Promise<Account | undefined> {
  const { cost, figures, promptTokens, completionTokens } = outcome;
  return end(hold, {
    status: 'settled',
    cost,
    figures,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
  });
}

/** Ends a charge that cost nothing, and gives the hold back. */
export function release(hold: Hold): Promise<Account | undefined> {
  return end(hold, { status: 'released', failed: true });
}

type Ending = Pick<Charge, 'status' | 'cost' | 'figures' | 'failed'> &
  Pick<Charge, 'prompt_tokens' | 'completion_tokens'>;

async function end({ charge, written }: Hold, ending: Ending): Promise<Account | undefined> {
  await Promise.allSettled([written]);
  if (!(await endCharge(charge, ending))) return undefined;
  try {
    return await creditAccount(charge, ending.cost ?? 0);
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
  const { key_id, entry, ...rest } = charge;
  const ended = { ...rest, ...ending, ended_at: new Date().toISOString() };
  const names = Object.keys(ended);
  const updated = await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: { key_id, entry },
        ConditionExpression: 'attribute_not_exists(#status) OR #status = :was',
        UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ...Object.fromEntries(Object.entries(ended).map(([name, value]) => [`:${name}`, value])),
          ':was': 'held',
        },
      }),
    ),
  );
  return updated !== undefined;
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
