import { chargesOf, chargesOnTeam } from '../ledger/read-charges.ts';
import { type Charge, chargeRetentionSeconds } from '../ledger/terms/charge.ts';
import { type Days, dayOf } from './day.ts';
import type { EndedCharge } from './figures.ts';
import { withMarks } from './marks.ts';

const dayMs = 86_400_000;

/** Reads the charges of a key that ended in some days, of all that are kept unless days are given, page by page. */
export const endedCharges = (keyId: string, days: Partial<Days> = {}) =>
  endedIn(chargesOf(keyId, spanOf(days)), days);

/** Reads the charges that were held on a team and ended in some days. */
export const endedOnTeam = (teamId: string, days: Partial<Days>) =>
  endedIn(chargesOnTeam(teamId, spanOf(days)), days);

const spanOf = ({ from, to }: Partial<Days>) => ({
  fromMs: from === undefined ? undefined : Date.parse(from),
  untilMs: to === undefined ? undefined : Date.parse(to) + dayMs,
});

async function* endedIn(
  pages: AsyncGenerator<Charge[]>,
  { from, to }: Partial<Days>,
): AsyncGenerator<EndedCharge[]> {
  const isWithin = (charge: Charge): charge is EndedCharge =>
    charge.ended_at !== undefined &&
    (from === undefined || dayOf(charge.ended_at) >= from) &&
    (to === undefined || dayOf(charge.ended_at) <= to);
  for await (const page of pages) yield page.filter(isWithin);
}

/** Reads the same charges with the revisions that counted them, without charges that may be deleted at any time. */
export async function* markedCharges(
  keyId: string,
  days?: Partial<Days>,
): AsyncGenerator<EndedCharge[]> {
  for await (const page of endedCharges(keyId, days)) {
    yield await withMarks(page.filter(({ expires_at }) => expires_at * 1000 > Date.now()));
  }
}

/**
 * Returns the first day, from a given one on, of which all charges are kept: DynamoDB deletes a charge at any time after its
 * end.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
export function firstKeptDay(from = ''): string {
  const kept = dayOf(Date.now() - (chargeRetentionSeconds - 2 * 86_400) * 1000);
  return from > kept ? from : kept;
}
