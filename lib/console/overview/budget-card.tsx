import type { Budget, LimitsReport } from '../../../shared/keys/limits-report.ts';
import type { ModelDay } from '../../../shared/usage/reports.ts';
import { moment, span, usd } from '../parts/format.ts';
import { Meter } from '../parts/meter.tsx';
import { burnRate } from './burn-rate.ts';

/** What is left of the budget and of the team's, and how long it lasts. */
export function BudgetCard({
  budget,
  team,
  days,
}: {
  budget: Budget;
  team: LimitsReport['team'];
  days: ModelDay[] | undefined;
}) {
  const { max_usd, used_usd, held_usd, remaining_usd, unlimited } = budget;
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
      <dl>
        {days && <Outlook budget={budget} days={days} />}
        <div>
          <dt>Resets</dt>
          <dd>
            {budget.reset_at
              ? `in ${span(Date.parse(budget.reset_at) - Date.now())}, ${moment(budget.reset_at)}`
              : 'never'}
          </dd>
        </div>
        {team && !team.unlimited && (
          <div>
            <dt>Team {team.name}</dt>
            <dd>
              {usd(team.remaining_usd)} left of {usd(team.max_usd)}
            </dd>
          </div>
        )}
      </dl>
    </article>
  );
}

function Outlook({ budget, days }: { budget: Budget; days: ModelDay[] }) {
  const { usdPerDay, emptyAtMs, lastsUntilReset } = burnRate(budget, days);
  return (
    <>
      <div>
        <dt>Burn rate</dt>
        <dd>
          {usdPerDay === 0 ? 'nothing spent in 7 days' : `${usd(usdPerDay)} a day over 7 days`}
        </dd>
      </div>
      {emptyAtMs !== undefined && (
        <div>
          <dt>Runs out</dt>
          <dd>{lastsUntilReset ? 'not before it resets' : runOut(emptyAtMs)}</dd>
        </div>
      )}
    </>
  );
}

/** A date a century away is no date: such a rate is next to nothing. */
function runOut(emptyAtMs: number): string {
  const ms = emptyAtMs - Date.now();
  if (ms <= 0) return 'now';
  return ms > 365 * 86_400_000 * 10
    ? 'not for years'
    : `in ${span(ms)}, ${moment(new Date(emptyAtMs).toISOString())}`;
}
