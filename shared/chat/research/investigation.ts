import type * as v from 'valibot';
import { toUsd } from '../../ledger/terms/nano-usd.ts';
import type { Model } from '../../models/catalogue.ts';
import { maxCostNanoUsd } from '../../models/token-bounds.ts';
import type { ChatEvent } from '../chat-event.ts';
import { holdTask, type JsonTask, runTask, taskQuestion } from '../json-task.ts';
import type { Found } from '../sources/found.ts';
import type { Reach } from '../sources/reach.ts';
import type { Turn } from '../turn.ts';
import type { ResearchBudget, ResearchLimits, StoppedBy } from './budget.ts';
import type { Note, Plan } from './tasks.ts';

/** A source with the notes that were taken from it. */
export interface StudiedSource {
  found: Found;
  notes: Note[];
}

/** A research under way: what it may do, and what it has found. */
export interface Investigation {
  turn: Turn;
  reach: Reach;
  limits: ResearchLimits;
  budget: ResearchBudget;
  /** The model for notes and checks; the turn's own plans and writes. */
  smallModel: Model;
  plan: Plan;
  studied: StudiedSource[];
  /** The keys of the sources that were looked at, and the queries that were searched for. */
  seen: Set<string>;
  searched: Set<string>;
  /** Why the search ended before it was done. */
  stoppedBy?: StoppedBy;
  /** The first failure of a step that was left out. */
  failure?: unknown;
}

/** Runs a task within the research's budget. Throws `StopSearching` if that is spent. */
export function askWithin<Shape extends v.GenericSchema>(
  { turn, budget }: Pick<Investigation, 'turn' | 'budget'>,
  model: Model,
  question: JsonTask<Shape>,
): Promise<v.InferOutput<Shape> | undefined> {
  const maxNanoUsd = maxCostNanoUsd(model, taskQuestion(model, question).body);
  return budget.spendCall(maxNanoUsd, async () =>
    runTask(await holdTask(turn, model, question), question),
  );
}

/** The status that tells the stage of a research and what it has cost so far. */
export function stage({ usage }: Turn, name: string, detail: string): ChatEvent {
  return { type: 'status', stage: name, detail, cost_usd: toUsd(usage.costNanoUsd) };
}

/**
 * Runs work, yields its progress, and returns its result. If the reader leaves, `signal` aborts, and calls under way
 * are awaited and settled.
 */
export async function* progress<Event, Result>(
  work: (tell: (event: Event) => void, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Event, Result> {
  const readerLeft = new AbortController();
  const told: Event[] = [];
  let ended = false;
  let change = Promise.withResolvers<void>();
  const tell = (event: Event) => {
    told.push(event);
    change.resolve();
  };
  const working = work(tell, readerLeft.signal).finally(() => {
    ended = true;
    change.resolve();
  });
  try {
    for (;;) {
      for (let event = told.shift(); event !== undefined; event = told.shift()) yield event;
      if (ended) return await working;
      await change.promise;
      change = Promise.withResolvers();
    }
  } finally {
    readerLeft.abort();
    await Promise.allSettled([working]);
  }
}
