import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../aws/dynamodb.ts';
import { isOutage } from '../../aws/outage.ts';
import { newItem, unlessConditionFails } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import type { Charge } from '../terms/charge.ts';
import { longestWriteMs, persist } from './persist.ts';

/** The write of a charge that has ended. It is made once: a charge that is there is never changed. */
export const chargePut = (charge: Charge) => newItem(setting('LEDGER_TABLE'), charge);

/** Writes an ended charge, once. Any trouble is tried again: a call without a charge is free, and billed by its provider. */
export async function putCharge(charge: Charge, abortSignal?: AbortSignal): Promise<void> {
  const options = abortSignal && { abortSignal };
  await unlessConditionFails(
    persist(
      () => dynamodb.send(new PutCommand(chargePut(charge)), options),
      isOutage,
      longestWriteMs,
    ),
  );
}
