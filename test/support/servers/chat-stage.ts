import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll } from 'vitest';
import { clientEnvironment } from '../../../lib/local/engines/client-config.ts';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { changeKey, issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits, type KeyLimits } from '../../../shared/keys/key-limits.ts';
import type { Charge } from '../../../shared/ledger/terms/charge.ts';
import { claim, shared } from '../run/shared.ts';
import { call, type Target } from './api.ts';
import { useOwnStage } from './own-stages.ts';
import { poll } from './poll.ts';
import { chatStageEnv } from './stage.ts';
import { startModels } from './test-models.ts';

/** A key of the test's own. */
export interface Account extends Target {
  keyId: string;
}

/** Which stage a test file chats on, and with which models. */
export interface ChatStageOptions {
  /** Claims the models that the catalogue's default is one of; one file may. */
  withDefault?: boolean;
  /** Starts a stage of the file's own, for what another file's load would disturb. */
  own?: boolean;
  /** More of the environment of a stage of its own. */
  env?: Record<string, string>;
}

/** Gives a test file a stage with models of its own, which it tells what to answer. */
export async function useChatStage({
  withDefault = false,
  own = false,
  env,
}: ChatStageOptions = {}) {
  const { slots } = await shared('chatAssembly');
  const slot = slots[withDefault ? 0 : await claim('chat slot')];
  if (!slot) throw new Error('no slot of models is left: make more of them');
  const [models, stage] = await Promise.all([
    startModels(slot),
    own ? ownStage(env) : sharedStage(),
  ]);
  afterAll(() => models.close());
  Object.assign(process.env, clientEnvironment, {
    AWS_SECRET_ACCESS_KEY: stage.secret_access_key,
    AWS_ENDPOINT_URL_DYNAMODB: stage.dynamodb_url,
    KEYS_TABLE: stage.outputs['KeysTable'],
    LEDGER_TABLE: stage.outputs['LedgerTable'],
  });

  return {
    stage,
    /** Of the stage's process, if it is the file's own. */
    pid: stage.pid,
    /** What that process has printed so far. */
    lines: stage.lines,
    newModel: models.newModel,

    /** Issues a key that no other test has; its budget is $100 unless limits say otherwise. */
    async newAccount(limits: Partial<KeyLimits> = {}): Promise<Account> {
      const issued = await issueKey('test', { ...defaultLimits, budget_usd: 100, ...limits });
      return { base_url: stage.base_url, api_key: issued.api_key, keyId: issued.id };
    },

    /** Gives a key another budget, as an operator does. */
    async changeBudget({ keyId }: Account, budget_usd: number): Promise<void> {
      await changeKey(keyId, { budget_usd });
    },
  };
}

const sharedStage = async () => ({ ...(await shared('chatStage')), pid: undefined, lines: [] });

async function ownStage(env: Record<string, string> = {}) {
  const stage = await useOwnStage({ memory: true, env: { ...(await chatStageEnv()), ...env } });
  return { ...stage, pid: stage.process.pid };
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

/** A key's charges, the oldest first, once nothing is held for any of them. */
export async function endedCharges({ keyId }: Pick<Account, 'keyId'>): Promise<Charge[]> {
  const items = await poll(() => ledgerItemsOf(keyId), isAtRest);
  return items.filter(isCharge) as Charge[];
}

const isCharge = ({ entry }: LedgerItem) =>
  entry.startsWith('charge_') && !entry.endsWith('#noted');

/** Whether nothing is held, and each request of the last minutes has its charge. */
function isAtRest(items: LedgerItem[]): boolean {
  const account = items.find(({ entry }) => entry === 'account');
  const requests = Object.entries(account ?? {})
    .filter(([name]) => /^requests_\d+$/.test(name))
    .reduce((sum, [, count]) => sum + Number(count), 0);
  return account?.held === 0 && items.filter(isCharge).length >= requests;
}

interface LedgerItem {
  entry: string;
  held?: number;
}

async function ledgerItemsOf(keyId: string): Promise<LedgerItem[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: process.env['LEDGER_TABLE'],
      KeyConditionExpression: 'key_id = :key',
      ExpressionAttributeValues: { ':key': keyId },
      ConsistentRead: true,
    }),
  );
  return Items as LedgerItem[];
}
