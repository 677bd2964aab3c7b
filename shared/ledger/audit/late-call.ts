import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { isOutage } from '../../aws/outage.ts';
import { sqs } from '../../aws/sqs.ts';
import { setting } from '../../config.ts';
import { errorFields, log } from '../../log.ts';
import { patienceMs, persist } from '../account/persist.ts';
import type { Charge } from '../terms/charge.ts';

/** A call that another function ends: its charge, without any text of a prompt, a document or an answer. */
export interface LateCall {
  charge: Charge;
  /** Whether its charge is written, and an account may lack its credit. */
  lacksCredit: boolean;
}

/** What is read of a message. The rest of the charge is as it was made. */
const LateCallMessage = v.object({
  charge: v.looseObject({ key_id: v.string(), entry: v.string(), hold: v.number() }),
  lacksCredit: v.boolean(),
});

/** Reads a message of the queue. Throws if it is none. */
export const readLateCall = (body: string): LateCall =>
  v.parse(LateCallMessage, JSON.parse(body)) as unknown as LateCall;

/** Other calls' charges, which a recount adds up, are seldom on their way for longer. */
const soonSeconds = 3;

/** A charge that was handed over is tried by its own function for as long. */
const afterAllTriesSeconds = patienceMs / 1000 + 10;

const longestSendMs = 2_000;

/** Hands a call over to the queue of late calls, whose function takes it up after a delay. Returns whether the queue has it. */
export async function handOver(call: LateCall, delaySeconds = soonSeconds): Promise<boolean> {
  try {
    const message = new SendMessageCommand({
      QueueUrl: setting('LATE_CALLS_QUEUE_URL'),
      MessageBody: JSON.stringify(call),
      DelaySeconds: delaySeconds,
    });
    await persist(() => sqs.send(message), isOutage, longestSendMs);
    return true;
  } catch (error) {
    const { key_id, entry } = call.charge;
    log('error', 'call not handed over', { key_id, charge_id: entry, ...errorFields(error) });
    return false;
  }
}

/** How long a charge is tried before the queue has its call as well, in case its function ends in between. */
const tryAloneMs = 2_000;

/** Writes a charge, or hands it over if that fails or takes long; its caller waits for `patienceMs`. It never throws. */
export async function orHandOver(
  write: (signal: AbortSignal) => Promise<void>,
  charge: Charge,
): Promise<{ written: PromiseSettledResult<void>; isHandedOver: boolean }> {
  const call = { charge, lacksCredit: false };
  const patience = new AbortController();
  let handing: Promise<boolean> | undefined;
  let timer = setTimeout(() => {
    handing = handOver(call, afterAllTriesSeconds).then((isHandedOver) => {
      if (isHandedOver) timer = setTimeout(() => patience.abort(), patienceMs - tryAloneMs);
      return isHandedOver;
    });
  }, tryAloneMs);
  const [written] = await Promise.allSettled([write(patience.signal)]);
  clearTimeout(timer);
  let isHandedOver = (await handing) ?? false;
  clearTimeout(timer);
  if (written.status === 'rejected' && !isHandedOver) isHandedOver = await handOver(call);
  return { written, isHandedOver };
}
