import { useState } from 'preact/hooks';
import type { LimitsReport } from '../../../shared/keys/limits-report.ts';
import type { BatchStatsReport, Period, StatsReport } from '../../../shared/usage/reports.ts';
import { get } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { branchesOf, listTree } from '../jobs/job-list.ts';
import { JobTree } from '../jobs/job-tree.tsx';
import { Choices } from '../parts/choices.tsx';
import { Facts } from '../parts/facts.tsx';
import { Awaited, Failed } from '../parts/failed.tsx';
import { count, span } from '../parts/format.ts';
import { Meter } from '../parts/meter.tsx';
import { linkTo } from '../route.ts';
import { BudgetCard } from './budget-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { BatchByTag, Spend } from './spend.tsx';

const periods: [Period, string][] = [
  ['1d', 'Today'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['all', 'All'],
];

/** How many days of batch use are asked for; a year is the most. */
const batchDays: Record<Period, number> = { '1d': 1, '7d': 7, '30d': 30, all: 366 };

const pauses = { firstPauseMs: 3_000, maxPauseMs: 60_000 };

/** The overview: limits, spending, and the latest jobs. */
export function Overview() {
  const [period, setPeriod] = useState<Period>('7d');
  const limits = useLive('limits', (signal) => get<LimitsReport>('/user/limits', signal), pauses);
  const week = useLive('week', (signal) => stats('7d', signal), pauses);
  const chosen = useLive(period, (signal) => stats(period, signal), pauses);
  const batch = useLive(
    `batch ${period}`,
    (signal) => get<BatchStatsReport>(`/user/batch-stats?days=${batchDays[period]}`, signal),
    pauses,
  );

  return (
    <>
      <h1>Overview</h1>
      <Awaited of={limits} lines={6} />
      <div class="cards">
        {limits.value && (
          <>
            <BudgetCard
              budget={limits.value.budget}
              team={limits.value.team}
              days={week.value?.days}
            />
            {limits.value.limits.length > 0 && <LimitsCard limits={limits.value.limits} />}
            <ImagesCard {...limits.value.ocr} />
          </>
        )}
      </div>
      <LatestJobs />
      <section aria-labelledby="use">
        <div class="bar-of-choices">
          <h2 id="use">What it was spent on</h2>
          <Choices label="Period" of={periods} chosen={period} choose={setPeriod} />
        </div>
        <Awaited of={chosen} lines={8} />
        {chosen.value && <Spend report={chosen.value} />}
      </section>
      <section aria-labelledby="batch">
        <h2 id="batch">Spent by jobs</h2>
        <Awaited of={batch} lines={4} />
        {batch.value && <BatchByTag report={batch.value} />}
      </section>
    </>
  );
}

/** How many of the newest jobs are shown. */
const latest = 4;

function LatestJobs() {
  const list = useLive('latest jobs', (signal) => listTree({ status: '' }, signal), pauses);
  const jobs = list.value?.jobs.slice(0, latest) ?? [];
  if (jobs.length === 0) return <Failed error={list.failure} retry={list.reload} />;
  return (
    <section aria-labelledby="latest">
      <div class="bar-of-choices">
        <h2 id="latest">Latest jobs</h2>
        <a href={linkTo('jobs')}>All jobs</a>
      </div>
      <JobTree branches={branchesOf(jobs, [])} caption="Latest jobs" />
    </section>
  );
}

const stats = (period: Period, signal: AbortSignal) =>
  get<StatsReport>(`/user/stats?period=${period}`, signal);

/** The pages and images that may be read in this hour. */
function ImagesCard({
  images_per_hour,
  used_this_hour,
  remaining,
  resets_in_seconds,
}: LimitsReport['ocr']) {
  return (
    <article aria-labelledby="images">
      <h2 id="images">Pages this hour</h2>
      <p class="figure">
        {count(remaining)} <small>left of {count(images_per_hour)}</small>
      </p>
      <Meter
        label="Pages"
        total={images_per_hour}
        parts={[
          { name: 'spent', value: used_this_hour, text: `${count(used_this_hour)} used` },
          { name: 'left', value: remaining, text: `${count(remaining)} left` },
        ]}
      />
      <Facts rows={[['Next hour', `in ${span(resets_in_seconds * 1_000)}`]]} />
    </article>
  );
}
