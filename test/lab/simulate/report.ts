import { aligned } from '../../../lib/cli/text.ts';
import { prices } from '../cost/prices.ts';
import { type SimulationOptions, type simulate, teamId } from './simulation.ts';

type Run = Awaited<ReturnType<typeof simulate>>;

/** Describes what a simulation has found, as of all calls, not only of those that were simulated. */
export function describeSimulation(options: SimulationOptions, run: Run, asJson: boolean): string {
  const figures = figuresOf(options, run);
  if (asJson) return `${JSON.stringify({ options, ...figures }, null, 2)}\n`;
  const rows = Object.entries(figures).flatMap(([name, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([part, each]) => [`${name}: ${part}`, `${each}`])
      : [[name, `${value}`]],
  );
  return `${aligned(rows)}\n`;
}

function figuresOf(options: SimulationOptions, run: Run) {
  const { counts, store, books } = run;
  const { sample, minutes } = options;
  const whole = (simulated: number) => Math.round(simulated / sample);
  const scaled = (each: Record<string, number>) =>
    Object.fromEntries(Object.entries(each).map(([name, value]) => [name, whole(value)]));
  const units = Object.values(store.units).reduce((sum, each) => sum + each, 0);
  const perMillion = (used: number, price: number) =>
    Math.round((used / Math.max(1, counts.finished)) * price * 1e8) / 100;
  const [waits, ends] = [quantiles(counts.waits), quantiles(counts.ends)];
  const second = counts.hottest.slice(2, 4).reduce((sum, each) => sum + (each ?? 0), 0);
  return {
    sample,
    'real seconds': Math.round(run.realSeconds),
    calls: whole(counts.calls),
    finished: whole(counts.finished),
    'finished a second': whole(counts.finished / minutes / 60),
    refused: scaled(counts.refused),
    'hottest key, calls a second': {
      'second minute': whole(second / 60),
      'last half minute': whole((counts.hottest[minutes * 2 - 1] ?? 0) / 30),
    },
    'parts of the hottest key': partsOf(counts.grown),
    ...(options.inTeam && { 'parts of the team': store.find(teamId, 'account')?.['parts'] ?? 1 }),
    'wait before upstream, ms': waits,
    'wait at the end, ms': ends,
    'write units by item': scaled(store.units),
    'write units a finished call': Math.round((units / Math.max(1, counts.finished)) * 100) / 100,
    throttled: scaled(store.throttled),
    'conflicts with transactions': whole(store.conflicts.count),
    'keys split by heat': run.partitions.splits,
    sandboxes: whole(run.sandboxes.count),
    'handed over': whole(run.queue.handedOver),
    'still to be booked in the end': whole(run.queue.waiting.size),
    died: whole(counts.died),
    'told that it is unsettled': whole(counts.unsettled),
    'stranded, US dollars': stranded(counts.stranded, sample, minutes),
    sweeps: {
      longest: `${Math.max(0, ...counts.sweeps.map(({ seconds }) => seconds))} s`,
      failed: counts.sweeps.filter(({ failed }) => failed).length,
    },
    'log lines': scaled(counts.log),
    'must be 0': { ...books },
    'the ledger, US dollars a million calls': {
      writes: perMillion(units, prices.writeUnit),
      reads: perMillion(store.readUnits, prices.readUnit),
    },
  };
}

function partsOf(grown: Run['counts']['grown']) {
  const eight = grown.find(({ parts }) => parts >= 8);
  return {
    most: Math.max(1, ...grown.map(({ parts }) => parts)),
    'eight after': eight ? `${eight.seconds} s` : 'never',
  };
}

function quantiles(values: number[]) {
  values.sort((a, b) => a - b);
  const at = (part: number) => Math.round(values[Math.floor(part * (values.length - 1))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

function stranded(byHalfMinute: number[], sample: number, minutes: number) {
  const usd = (nano = 0) => Math.round(nano / sample / 1e7) / 100;
  return {
    most: usd(Math.max(0, ...byHalfMinute)),
    'as calls end': usd(byHalfMinute[minutes * 2 - 1]),
    'ten minutes later': usd(byHalfMinute[minutes * 2 + 19]),
    'in the end': usd(byHalfMinute.at(-1)),
  };
}
