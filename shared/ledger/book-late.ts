import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { addTo } from '../aws/express-update.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { errorFields, log } from '../log.ts';
import {
  type Account,
  accountUpdate,
  inWindow,
  requireAccount,
  windowOf,
} from './account/account.ts';
import { type AccountHold, costOn, holdsOfCharge } from './account/account-hold.ts';
import {
  bookedAttribute,
  calmMs,
  epochOf,
  heldAttribute,
  mayRecount,
  recountAttribute,
} from './account/epoch.ts';
import { chargePut } from './account/put-charge.ts';
import { maxRounds } from './account/refuse.ts';
import { type LateCall, readLateCall } from './audit/late-call.ts';
import { beginRecount, recount } from './audit/recount.ts';
import { hasLeft } from './parts/close.ts';
import { gatherInto } from './parts/gather.ts';
import { isBusy } from './parts/too-busy.ts';
import { countsMoney, isPart } from './terms/account-ids.ts';
import type { Charge } from './terms/charge.ts';
import { BusyAccountError } from './terms/limit-errors.ts';

/** Books calls that their own function couldn't end, each once, and recounts an epoch once for all calls of a batch. */
export async function bookLateCalls({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const failed = new Set<string>();
  const recounts = new Map<string, { part: AccountHold; messageIds: string[] }>();
  for (const { messageId, body } of Records) {
    try {
      const { parts, isPutOff } = await bookLate(readLateCall(body));
      // The queue shows it again in two minutes.
      if (isPutOff) failed.add(messageId);
      for (const part of parts) {
        const id = `${part.key_id} ${epochOf(part.heldAtMs)}`;
        const messageIds = [...(recounts.get(id)?.messageIds ?? []), messageId];
        recounts.set(id, { part, messageIds });
      }
    } catch (error) {
      log('error', 'call not booked', errorFields(error));
      failed.add(messageId);
    }
  }
  for (const { part, messageIds } of recounts.values()) {
    const isDone = await recount(part.key_id, epochOf(part.heldAtMs)).catch((error: unknown) => {
      log('error', 'epoch not recounted', { key_id: part.key_id, ...errorFields(error) });
      return false;
    });
    if (!isDone) for (const messageId of messageIds) failed.add(messageId);
  }
  return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** An account that a late call is booked on. */
interface Payer {
  part: AccountHold;
  account: Account;
  /** Whether its epoch was not audited yet: whoever adds up the charges of that counts this one. */
  isOpen: boolean;
  /** What it can pay now, with all parts of its account. */
  has: number;
}

/** Books a call without a charge. Returns the parts to recount, and whether other recounts must wait. */
async function bookLate({
  charge,
  lacksCredit,
}: LateCall): Promise<{ parts: AccountHold[]; isPutOff: boolean }> {
  const isNew = !lacksCredit && (await putLate(charge));
  const now = Date.now();
  const parts: AccountHold[] = [];
  let isPutOff = false;
  for (const { part, account, isOpen } of await Promise.all(holdsOfCharge(charge).map(payerOf))) {
    const epoch = epochOf(part.heldAtMs);
    const isRecounted = account[recountAttribute(epoch)] !== undefined;
    // An earlier try of this may have written the charge, and put the recount off.
    const isLacking = isNew || lacksCredit || account[bookedAttribute(epoch)] !== undefined;
    // Too late for a recount, it is left to the audit.
    const begins = isLacking && !isRecounted && mayRecount(epoch, now);
    if (!isOpen || !(begins || isRecounted)) continue;
    if (begins && now < calmMs(epoch) && isBusy(account, now)) {
      isPutOff = true;
      continue;
    }
    if (begins) await beginRecount(part.key_id, epoch);
    parts.push(part);
  }
  return { parts, isPutOff };
}

/**
 * Writes a charge and tells its accounts in one transaction: an open epoch counts it at its audit; of an audited one
 * the account pays as far as it can. An audit at the same time comes before or after. Returns false if the charge was
 * there.
 */
async function putLate(charge: Charge): Promise<boolean> {
  for (let rounds = 1; rounds <= maxRounds; rounds += 1) {
    const payers = await payersOf(charge);
    const payable = asPayable(charge, payers);
    const failed = await writeTransaction([
      { Put: chargePut(payable) },
      ...payers.map((payer) => changeOf(payer, costOn(payer.part.key_id, payable))),
      ...payers.flatMap((payer) => checkOf(payer, costOn(payer.part.key_id, payable))),
    ]);
    if (!failed) return true;
    if (failed.includes(0)) return false;
  }
  throw new BusyAccountError(charge.key_id);
}

/** A closed part pays only while its account isn't below its limit. */
const checkOf = (payer: Payer, cost: number): TransactWriteItem[] =>
  payer.account.closed && paysNow(payer) && cost > 0
    ? [{ ConditionCheck: hasLeft(payer.part.key_id) }]
    : [];

/** Reads the payers of a call. A part gets its share to pay now from the others. */
async function payersOf(charge: Charge): Promise<Payer[]> {
  const payers: Payer[] = [];
  for (const part of holdsOfCharge(charge)) {
    const payer = await payerOf(part);
    const isAlone = !isPart(part.key_id) && payer.account.parts === undefined;
    if (isAlone || !paysNow(payer)) {
      payers.push(payer);
      continue;
    }
    const has = await gatherInto(part.key_id, costOn(part.key_id, charge));
    payers.push({ ...(await payerOf(part)), has });
  }
  return payers;
}

async function payerOf(part: AccountHold): Promise<Payer> {
  const account = await requireAccount(part.key_id);
  const isOpen = account[heldAttribute(epochOf(part.heldAtMs))] !== undefined;
  return { part, account, isOpen, has: Math.max(0, account.available) };
}

/** Whether a payer takes the cost from what it has now. In another window than the hold's it costs it nothing. */
const paysNow = ({ part, account, isOpen }: Payer) => !isOpen && windowOf(account) === part.window;

/** The charge, at most what its payers have left now: others may have spent what it held. */
function asPayable(charge: Charge, payers: Payer[]): Charge {
  const { cost = 0, figures } = charge;
  const money = payers.filter((payer) => paysNow(payer) && countsMoney(payer.part));
  const has = money.map((payer) => payer.has);
  const payable = Math.min(cost, ...has);
  if (payable === cost) return charge;
  return {
    ...charge,
    cost: payable,
    ...(figures === 'exact' && { figures: 'estimated' as const }),
  };
}

/** Returns the write of an account beside a late charge, on the condition that it is as it was read. */
function changeOf(payer: Payer, cost: number): TransactWriteItem {
  const { part, account, isOpen } = payer;
  const epoch = epochOf(part.heldAtMs);
  if (isOpen) return { Update: tellAudit(part.key_id, epoch) };
  const window = windowOf(account);
  const { UpdateExpression, ...check } = accountUpdate(part.key_id, (value) => {
    const isAsRead = [`attribute_not_exists(${heldAttribute(epoch)})`, inWindow(window, value)];
    if (!paysNow(payer)) return { when: isAsRead };
    // Tokens are counted even past their limit.
    const has = cost > 0 && countsMoney(part) && `available >= ${value(cost)}`;
    return {
      when: [...isAsRead, has],
      set: [`spent = spent + ${value(cost)}`, `available = available - ${value(cost)}`],
    };
  });
  return UpdateExpression ? { Update: { ...check, UpdateExpression } } : { ConditionCheck: check };
}

/** The change of an account that an audit finds which has read its charges before. */
const tellAudit = (accountId: string, epoch: number) =>
  accountUpdate(accountId, (value) => ({
    when: [`attribute_exists(${heldAttribute(epoch)})`],
    set: [addTo(bookedAttribute(epoch), 1, value)],
  }));
