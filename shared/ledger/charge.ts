import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';

/** How sure a charge's figures are: told by the provider, told of a part, or counted by us. */
export type Figures = 'exact' | 'partial' | 'estimated';

/** What a charge is for. */
export interface ChargeSubject {
  model: string;
  /** Where its use is counted, such as `batch` and `batch:chat`. */
  tags: string[];
  job_id?: string;
}

/** One model call in the ledger: held before it is made, settled or released once. */
export interface Charge extends ChargeSubject {
  key_id: string;
  entry: string;
  status: 'held' | 'settled' | 'released';
  hold: number;
  created_at: string;
  cost?: number;
  figures?: Figures;
  prompt_tokens?: number;
  completion_tokens?: number;
  /** Pages read by OCR. */
  images?: number;
  failed?: boolean;
  ended_at?: string;
  /** When the table forgets it, in epoch seconds: after the books of a year are closed. */
  expires_at: number;
}

export const chargeKeepSeconds = 400 * 86_400;

/** Writes a charge that begins; a write that comes late leaves one that has ended as it is. */
export async function putCharge(charge: Charge): Promise<void> {
  await unlessConditionFails(
    dynamodb.send(
      new PutCommand({
        TableName: setting('LEDGER_TABLE'),
        Item: charge,
        ConditionExpression: 'attribute_not_exists(entry)',
      }),
    ),
  );
}
