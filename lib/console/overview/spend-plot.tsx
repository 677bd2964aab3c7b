import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { ModelDay, Period } from '../../../shared/usage/reports.ts';
import { day, usd } from '../parts/format.ts';
import { colourOf } from './colours.ts';

const daySeconds = 86_400;
const dayMs = daySeconds * 1_000;
const height = 220;

export interface SpendPlotProps {
  days: ModelDay[];
  models: string[];
  period: Period;
}

/** The spend of each day, stacked by model. The tables under it say the same in words. */
export function SpendPlot({ days, models, period }: SpendPlotProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = element.current;
    if (!parent) return;
    const draw = () => new uPlot(optionsOf(parent, models), stack(days, models, period), parent);
    let plot = draw();
    const redraw = () => {
      plot.destroy();
      plot = draw();
    };
    const resized = new ResizeObserver(() => {
      if (plot.width !== parent.clientWidth) plot.setSize({ width: parent.clientWidth, height });
    });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    resized.observe(parent);
    scheme.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [days, models.join(), period]);
  return (
    <div
      ref={element}
      class="plot"
      role="img"
      aria-label="Spend by day, stacked by model; the tables below have the figures"
    />
  );
}

/** Returns the days in seconds, then for each model the sum of its spend and that of all models after it. */
function stack(days: ModelDay[], models: string[], period: Period): uPlot.AlignedData {
  const spend = new Map(days.map(({ date, model, cost_usd }) => [`${date} ${model}`, cost_usd]));
  const dates = everyDay(days, period);
  const sums: number[][] = [];
  let above = dates.map(() => 0);
  for (const model of models.toReversed()) {
    above = dates.map((date, index) => (above[index] ?? 0) + (spend.get(`${date} ${model}`) ?? 0));
    sums.unshift(above);
  }
  return [dates.map((date) => Date.parse(date) / 1_000), ...sums];
}

/** Every day of a period until today, those without use too. `all` begins with the first use. */
function everyDay(days: ModelDay[], period: Period): string[] {
  const today = Math.floor(Date.now() / dayMs);
  const first =
    period === 'all' && days[0]
      ? Date.parse(days[0].date) / dayMs
      : today - Number.parseInt(period, 10) + 1;
  return Array.from({ length: today - first + 1 }, (_, day) =>
    new Date((first + day) * dayMs).toISOString().slice(0, 10),
  );
}

/** The greatest sum is drawn first: each bar covers all of it but its own model's part. */
function optionsOf(parent: HTMLElement, models: string[]): uPlot.Options {
  const style = getComputedStyle(parent);
  const axis = {
    stroke: style.color,
    grid: { stroke: style.borderTopColor, width: 1 },
    ticks: { show: false },
    font: `12px ${style.fontFamily}`,
  };
  const { bars } = uPlot.paths;
  return {
    width: parent.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: {
        range: ({ data: [seconds] }) => [
          (seconds[0] ?? 0) - daySeconds / 2,
          (seconds.at(-1) ?? 0) + daySeconds / 2,
        ],
      },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        incrs: [1, 2, 7, 14, 30, 90].map((length) => length * daySeconds),
        space: 60,
        values: (_plot, ticks) => ticks.map((seconds) => day(seconds * 1_000)),
      },
      { ...axis, size: 70, values: (_plot, ticks) => ticks.map((tick) => usd(tick)) },
    ],
    series: [
      {},
      ...models.map((label, index) => ({
        label,
        fill: colourOf(index),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars({ size: [0.7, 48] }) }),
      })),
    ],
  };
}
