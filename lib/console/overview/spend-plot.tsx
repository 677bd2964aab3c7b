import type { ModelDay, Period } from '../../../shared/usage/reports.ts';
import { day, usd } from '../parts/format.ts';

/** Colours that differ on white and on black, also for most people with colour blindness. */
const colours = [
  '#2c7fb8',
  '#d95f0e',
  '#3a9a5b',
  '#a65cb3',
  '#b8860b',
  '#d6456b',
  '#5f8a8b',
  '#8a6d5a',
];

/** The colour of the nth model. */
export const colourOf = (index: number) => colours[index % colours.length] ?? '#888888';

const dayMs = 86_400_000;
/** More columns than this are too thin; weeks take their place. */
const maxColumns = 62;

export interface SpendPlotProps {
  days: ModelDay[];
  models: string[];
  period: Period;
}

/** The spend of each day, or each week of a long time, stacked by model. The tables under it say the same in words. */
export function SpendPlot({ days, models, period }: SpendPlotProps) {
  const columns = columnsOf(days, period);
  const sums = columns.map(({ costs }) => [...costs.values()].reduce((sum, cost) => sum + cost, 0));
  const most = Math.max(...sums);
  const labelEvery = Math.ceil(columns.length / 5);
  return (
    <div
      class="plot"
      role="img"
      aria-label="Spend by day, stacked by model; the tables below have the figures"
    >
      {columns.map(({ fromMs, costs }, index) => {
        const sum = sums[index] ?? 0;
        const isPeak = sum > 0 && sums.indexOf(most) === index;
        return (
          <div
            key={fromMs}
            class={isPeak ? 'peak' : ''}
            data-usd={usd(sum)}
            title={`${day(fromMs)}: ${usd(sum)}`}
          >
            {models.toReversed().map((model) => (
              <span
                key={model}
                style={{
                  // The space above the highest column is for its figure.
                  height: `${most > 0 ? ((costs.get(model) ?? 0) / most) * 90 : 0}%`,
                  background: colourOf(models.indexOf(model)),
                }}
              />
            ))}
            {index % labelEvery === 0 && <small>{day(fromMs)}</small>}
          </div>
        );
      })}
    </div>
  );
}

/** Every day of a period until today, those without use too, or its weeks. `all` begins with the first use. */
function columnsOf(days: ModelDay[], period: Period) {
  const today = Math.floor(Date.now() / dayMs);
  const first =
    period === 'all' && days[0]
      ? Date.parse(days[0].date) / dayMs
      : today - Number.parseInt(period, 10) + 1;
  const perColumn = today - first >= maxColumns ? 7 : 1;
  const columns = Array.from(
    { length: Math.floor((today - first) / perColumn) + 1 },
    (_, index) => ({
      fromMs: (first + index * perColumn) * dayMs,
      costs: new Map<string, number>(),
    }),
  );
  for (const { date, model, cost_usd } of days) {
    const costs = columns[Math.floor((Date.parse(date) / dayMs - first) / perColumn)]?.costs;
    costs?.set(model, (costs.get(model) ?? 0) + cost_usd);
  }
  return columns;
}
