import { setTimeout } from 'node:timers/promises';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { changeKey, issueKey } from '../../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../../shared/keys/key-limits.ts';
import type { Charge } from '../../shared/ledger/charge.ts';
import { call, type Target } from './api.ts';
import { startTestStage } from './stage.ts';
import { providerKey, startTestCatalogue } from './test-catalogue.ts';

/** A key of the test's own. */
export interface Account extends Target {
  keyId: string;
}

export type ChatStage = Awaited<ReturnType<typeof startChatStage>>;

/** Starts a stage whose models a test tells what to answer. */
export async function startChatStage() {
  const { file, newModel, stub, close } = await startTestCatalogue();
  const stage = await startTestStage({
    memory: true,
    env: { OPENAI_API_KEY: providerKey, QUIRE_CATALOGUE: file },
  });
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_DYNAMODB: stage.dynamodb_url,
    KEYS_TABLE: stage.outputs['KeysTable'],
    LEDGER_TABLE: stage.outputs['LedgerTable'],
  });

  return {
    stage,
    stub,
    newModel,

    /** A key that no other test has; its budget is $100 unless limits say otherwise. */
    async newAccount(limits: Partial<KeyLimits> = {}): Promise<Account> {
      const issued = await issueKey('test', { ...defaultLimits, budget_usd: 100, ...limits });
      return { base_url: stage.base_url, api_key: issued.api_key, keyId: issued.id };
    },

    /** Gives a key another budget, as an operator does. */
    async changeBudget({ keyId }: Account, budget_usd: number): Promise<void> {
      await changeKey(keyId, { budget_usd });
    },

    close: async () => {
      await Promise.all([stage.close(), close()]);
    },
  };
}

/** What a key's budget says. */
export interface Budget {
  max_usd: number;
  used_usd: number;
  remaining_usd: number;
}

export async function budgetOf(account: Target): Promise<Budget> {
  const { body } = await call<{ budget: Budget }>(account, 'GET', '/user/limits');
  return body.budget;
}

/** A key's charges, oldest first, once nothing is held for any of them. */
export async function endedCharges({ keyId }: Pick<Account, 'keyId'>): Promise<Charge[]> {
  for (;;) {
    const { Items = [] } = await dynamodb.send(
      new QueryCommand({
        TableName: process.env['LEDGER_TABLE'],
        KeyConditionExpression: 'key_id = :key',
        ExpressionAttributeValues: { ':key': keyId },
        ConsistentRead: true,
      }),
    );
    const account = Items.find(({ entry }) => entry === 'account');
    const charges = Items.filter(({ entry }) => entry.startsWith('charge_'));
    const isHeld = charges.some(({ status }) => status === 'held') || account?.['held'] !== 0;
    if (!isHeld) return charges as Charge[];
    await setTimeout(10);
  }
}
