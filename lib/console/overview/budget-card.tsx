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
  const rows: Fact[] = [
    ['Pace', days !== undefined && paceText(budget, days)],
    ['Runs out', days !== undefined && !unlimited && endText(budget, days)],
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

function paceText(budget: Budget, days: ModelDay[]): string {
  const { usdPerDay } = burnRate(budget, days);
  return usdPerDay === 0 ? 'nothing spent in 7 days' : `${usd(usdPerDay)} a day over 7 days`;
}

/** Says when the budget ends at the pace of these days. A date ten years away is no date: such a pace is next to nothing. */
function endText(budget: Budget, days: ModelDay[]): string | null {
  const { emptyAtMs, lastsUntilReset } = burnRate(budget, days);
  if (emptyAtMs === undefined) return null;
  if (lastsUntilReset) return 'not before it resets';
  const leftMs = emptyAtMs - Date.now();
  if (leftMs <= 0) return 'now';
  return leftMs > 3_650 * 86_400_000
    ? 'not for years'
    : `in ${span(leftMs)}, about ${day(emptyAtMs)}`;
}

const dayMs = 86_400_000;

/** How fast a key spends, and what comes of it. */
interface BurnRate {
  usdPerDay: number;
  /** When the budget is used up at that rate, in ms since 1970; undefined if it never is. */
  emptyAtMs: number | undefined;
  /** Whether the budget resets before. */
  lastsUntilReset: boolean;
}

/** Returns how fast a key has spent since its first call, by whole days, so that one busy hour doesn't look like ruin. */
function burnRate(budget: Budget, days: readonly ModelDay[], nowMs = Date.now()): BurnRate {
  const spent = days.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const firstDay = days[0]?.date;
  const spanMs = firstDay === undefined ? dayMs : nowMs - Date.parse(firstDay);
  const usdPerDay = spent / Math.max(1, spanMs / dayMs);
  const isEndless = budget.unlimited || usdPerDay === 0;
  const emptyAtMs = isEndless ? undefined : nowMs + (budget.remaining_usd / usdPerDay) * dayMs;
  const resetAtMs =
    budget.reset_at === null ? Number.POSITIVE_INFINITY : Date.parse(budget.reset_at);
  return {
    usdPerDay,
    emptyAtMs,
    lastsUntilReset: emptyAtMs !== undefined && emptyAtMs > resetAtMs,
  };
}
