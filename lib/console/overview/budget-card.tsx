import type { Budget, LimitsReport } from '../../../shared/keys/limits-report.ts';
import type { ModelDay } from '../../../shared/usage/reports.ts';
import { type Fact, Facts } from '../parts/facts.tsx';
import { day, moment, span, usd } from '../parts/format.ts';
import { Meter } from '../parts/meter.tsx';

export interface BudgetCardProps {
  budget: Budget;
  team: LimitsReport['team'];
  /** The use of the last seven days. */
  days: ModelDay[] | undefined;
}

/** What is left of the budget and of the team's, and how long it lasts. */
export function BudgetCard({ budget, team, days }: BudgetCardProps) {
  const { max_usd, used_usd, held_usd, remaining_usd, reset_at, unlimited } = budget;
  const rate = days && burnRate(budget, days);
  const rows: Fact[] = [
    ['Pace', rate && paceText(rate)],
    ['Runs out', rate && !unlimited && endText(rate, budget)],
    [
      'Resets',
      !unlimited &&
        (reset_at ? `in ${span(Date.parse(reset_at) - Date.now())}, ${moment(reset_at)}` : 'never'),
    ],
    [
      `Team ${team?.name}`,
      team && !team.unlimited && `${usd(team.remaining_usd)} left of ${usd(team.max_usd)}`,
    ],
  ];
  return (
    <article aria-labelledby="budget">
      <h2 id="budget">Budget</h2>
      {unlimited ? (
        <p class="figure">
          {usd(used_usd)} <small>spent, without a limit</small>
        </p>
      ) : (
        <>
          <p class="figure">
            {usd(remaining_usd)} <small>left of {usd(max_usd)}</small>
          </p>
          <Meter
            label="Budget"
            total={max_usd}
            parts={[
              { name: 'spent', value: used_usd, text: `${usd(used_usd)} spent` },
              { name: 'held', value: held_usd, text: `${usd(held_usd)} held` },
              { name: 'left', value: remaining_usd, text: `${usd(remaining_usd)} left` },
            ]}
          />
        </>
      )}
      {!unlimited && remaining_usd === 0 && (
        <p class="refusal" role="status">
          {held_usd > 0
            ? 'Nothing is left but what running calls hold; what they don’t need comes back.'
            : 'The budget is spent: calls are refused until it resets or is raised.'}
        </p>
      )}
      <Facts rows={rows} />
    </article>
  );
}

function paceText({ usdPerDay }: BurnRate): string {
  return usdPerDay === 0 ? 'nothing spent in 7 days' : `${usd(usdPerDay)} a day over 7 days`;
}

const dayMs = 86_400_000;

/** Says when the budget ends at a pace. A date ten years away is no date: such a pace is next to nothing. */
function endText({ usdPerDay, leftMs }: BurnRate, { reset_at }: Budget): string | null {
  if (usdPerDay === 0) return null;
  const endsAtMs = Date.now() + leftMs;
  if (reset_at !== null && endsAtMs > Date.parse(reset_at)) return 'not before it resets';
  if (leftMs <= 0) return 'now';
  return leftMs > 3_650 * dayMs ? 'not for years' : `in ${span(leftMs)}, about ${day(endsAtMs)}`;
}

type BurnRate = ReturnType<typeof burnRate>;

/** Returns how fast a key has spent since its first call, by whole days, so that one busy hour doesn't look like ruin. */
function burnRate({ remaining_usd }: Budget, days: readonly ModelDay[]) {
  const spent = days.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const firstDay = days[0]?.date;
  const spanMs = firstDay === undefined ? dayMs : Date.now() - Date.parse(firstDay);
  const usdPerDay = spent / Math.max(1, spanMs / dayMs);
  return { usdPerDay, leftMs: (remaining_usd / usdPerDay) * dayMs };
}
