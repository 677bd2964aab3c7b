import { expect } from 'vitest';
import { type HeldCall, holdCall, type ModelCall } from '../../../shared/chat/hold-call.ts';
import { openHeldCall, readCompletion } from '../../../shared/chat/metered-call.ts';
import { openAccount } from '../../../shared/ledger/read-account.ts';
import { AgentSession } from '../fixtures/agent-session.ts';
import type { Behaviour, ModelStub } from '../servers/model-stub.ts';
import { completionOf } from '../servers/model-stub-pieces.ts';
import { accountOf, chargesOf } from './ledger-world.ts';

/** Opens the account of a new key with a budget in dollars and no other limit. Returns the key's id. */
export async function openKey(budget_usd: number): Promise<string> {
  const keyId = `key_${crypto.randomUUID()}`;
  const limits = { duration: null, requests_per_minute: null, max_concurrent: null };
  await openAccount(keyId, new Date().toISOString(), { budget_usd, ...limits });
  return keyId;
}

/** An answer in one piece that its provider counts so. */
export function counted(
  usage: readonly [number, number],
  { model = 'gpt-5-mini', text = 'ok', finish_reason = 'stop' } = {},
): Behaviour {
  const answer = { ...JSON.parse(completionOf(text, usage, finish_reason)), model };
  return { kind: 'pieces', pieces: [JSON.stringify(answer)] };
}

/** Holds a call, and makes it. */
export const openMeteredCall = async (call: ModelCall) => openHeldCall(await holdCall(call));

/** Makes a held call, and settles it once its answer is read. */
export async function finish(held: HeldCall): Promise<void> {
  const opened = await openHeldCall(held);
  readCompletion(opened);
  await opened.end();
}

/**
 * Has sessions of agents ask at once until one is refused, and expects that no call costs more than it held. Returns the part of
 * the key's budget that was spent by then.
 */
export async function spendAtOnce(
  stub: ModelStub,
  keyId: string,
  count: number,
  answer: (promptTokens: number, n: number) => Behaviour,
  ask: (messages: AgentSession['messages']) => Promise<unknown>,
): Promise<number | undefined> {
  const sessions = Array.from({ length: count }, (_, seed) => new AgentSession(seed));
  stub.respond(({ messages }, n) => {
    const [, { content } = {}] = messages as { content?: string }[];
    const { promptTokens = 0 } = sessions[Number(content?.match(/test (\d+)/)?.[1])] ?? {};
    return answer(promptTokens, n);
  });
  let refusedAt: number | undefined;
  const goOn = async (session: AgentSession) => {
    while (refusedAt === undefined) {
      try {
        await ask(session.messages);
      } catch (error) {
        expect(error).toMatchObject({ statusCode: 429 });
        const { spent, ceiling } = await accountOf(keyId);
        refusedAt ??= spent / ceiling;
      }
      session.goOn();
    }
  };
  await Promise.all(sessions.map(goOn));
  for (const { hold, cost = 0 } of await chargesOf(keyId)) expect(cost).toBeLessThanOrEqual(hold);
  return refusedAt;
}
