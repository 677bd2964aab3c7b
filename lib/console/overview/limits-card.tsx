import type { LimitsReport } from '../../../shared/keys/limits-report.ts';
import { count, moment, usd } from '../parts/format.ts';
import { Meter } from '../parts/meter.tsx';

/** The limits beside the budget, each as a bar. */
export function LimitsCard({ limits }: Pick<LimitsReport, 'limits'>) {
  return (
    <article aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      {limits.map(({ limit, of, unit, max, used, held, remaining, reset_at }) => {
        const text = unit === 'usd' ? usd : count;
        const parts = Object.entries({ spent: used, held, left: remaining }) as ['held', number][];
        return (
          <section key={`${of} ${limit}`} aria-label={limit}>
            <p>
              <code>{limit}</code>
              {of === 'team' && ' of the team'}: {text(remaining)} left of {text(max)}
              {reset_at && `, resets ${moment(reset_at)}`}
            </p>
            <Meter
              label={limit}
              total={max}
              parts={parts.map(([name, value]) => ({
                name,
                value,
                text: `${text(value)} ${name}`,
              }))}
            />
          </section>
        );
      })}
    </article>
  );
}
