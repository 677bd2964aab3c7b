import { expect } from 'vitest';
import type { Caller } from '../../../shared/http/caller.ts';
import { reportLimits } from '../../../shared/keys/limits-report.ts';
import { everInTeam } from '../../../shared/ledger/parts/members.ts';
import { sweepLedger } from '../../../shared/ledger/sweep.ts';
import { isPart, ownerOf } from '../../../shared/ledger/terms/account-ids.ts';
import { hourMs, pass } from './clock.ts';
import { chargesOf, expectAtRest, partsOf, sum } from './ledger-world.ts';

export const usdPerPage = 0.0015;

/** What a caller has been charged for, and has used of its images. */
export async function useOf(caller: Caller) {
  const charges = await chargesOf(caller.keyId);
  const settled = charges.filter(({ status }) => status === 'settled');
  const { budget, ocr } = await reportLimits(caller);
  return {
    pages: sum(settled.map(({ images = 0 }) => images)),
    held: budget.held_usd,
    used: budget.used_usd,
    images: ocr.used_this_hour,
  };
}

/** Expects of each caller that nothing is held, and that each of so many images was paid for once. */
export async function expectPaid(callers: Caller[], images: number): Promise<void> {
  for (const { keyId } of callers) {
    const settled = (await chargesOf(keyId)).filter(({ status }) => status === 'settled');
    expect(settled, 'charges').toHaveLength(images);
  }
  await expectBalanced(callers, () => images * 1_500_000);
}

/** Expects of each caller that its account rests, and has spent what its charges came to. */
export async function expectBalanced(
  callers: Caller[],
  spent = (charged: number) => charged,
): Promise<void> {
  pass(hourMs);
  await sweepLedger();
  for (const { keyId } of callers) {
    const parts = await partsOf(keyId);
    parts.forEach(expectAtRest);
    const charged = sum((await chargesOf(keyId)).map(({ cost = 0 }) => cost));
    expect(charged, 'charged nano-dollars').toBe(spent(charged));
    expect(sum(parts.map(({ spent }) => spent)), 'spent nano-dollars').toBe(charged);
  }
}

/** Expects of a team that its account rests, and has spent what the charges of its keys came to, each of them once. */
export async function expectTeamBalanced(teamId: string): Promise<void> {
  const parts = await partsOf(teamId);
  const keyIds = await Array.fromAsync(everInTeam(teamId));
  const charges = (await Promise.all(keyIds.filter((id) => !isPart(id)).map(chargesOf))).flat();
  parts.forEach(expectAtRest);
  expect(charges.length, 'charges').toBeGreaterThan(0);
  expect(charges.every(({ team }) => team && ownerOf(team) === teamId)).toBe(true);
  const spent = sum(parts.map((part) => part.spent));
  expect(spent, 'spent nano-dollars').toBe(sum(charges.map(({ cost = 0 }) => cost)));
}
