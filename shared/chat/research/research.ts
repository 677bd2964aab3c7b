import { ServiceError, valueError } from '../../http/errors.ts';
import { limitsOf, maxResearchUsd } from '../../keys/key-limits.ts';
import { release } from '../../ledger/settle.ts';
import { toNanoUsd, toUsd } from '../../ledger/terms/nano-usd.ts';
import { maxCostNanoUsd } from '../../models/token-bounds.ts';
import { truncated } from '../../truncated.ts';
import type { ChatEvent } from '../chat-event.ts';
import { smallModelFor, taskQuestion } from '../json-task.ts';
import { cleanQueries } from '../sources/queries.ts';
import type { Reach } from '../sources/reach.ts';
import type { AnswerEvents, Turn } from '../turn.ts';
import {
  type ResearchBudget,
  type ResearchLimits,
  researchBudget,
  researchLimits,
} from './budget.ts';
import { askWithin, type Investigation, stage } from './investigation.ts';
import { attempt, study } from './study.ts';
import { gapsTask, type Plan, planTask } from './tasks.ts';
import { writeReport } from './write-report.ts';
import { holdReport, maxChecks, maxChecksNanoUsd, maxReportNanoUsd } from './writing.ts';

/** Queries of a plan, and of what is missing afterwards. */
const maxPlanQueries = 6;
const maxGapQueries = 3;

/**
 * Answers with a report: plans, searches and notes in rounds, then writes from the notes and checks. Its highest cost
 * is held first, as one request. Before the first event it throws a 422 if the budget is too small for a plan and a
 * report, or what refuses the hold; later only if there is nothing to report.
 */
export async function* research(
  turn: Turn,
  reach: Reach,
  limits: ResearchLimits = researchLimits,
): AnswerEvents {
  const budget = budgetFor(turn, limits);
  const writing = withDeadline(turn, limits.totalMs);
  const { hold } = await holdReport(writing);
  try {
    const investigation: Investigation = {
      turn: withDeadline(turn, limits.searchMs + limits.graceMs),
      reach,
      limits,
      budget,
      smallModel: smallModelFor(turn),
      plan: { brief: turn.request.message, questions: [] },
      studied: [],
      seen: new Set(),
      searched: new Set(),
    };
    yield* investigate(investigation);
    if (investigation.studied.length === 0) return yield* nothingFound(investigation);
    budget.openReserve(maxChecksNanoUsd(investigation.smallModel), maxChecks);
    return yield* writeReport({ ...investigation, turn: writing }, hold);
  } finally {
    // Does nothing if the report was written, and its hold is settled.
    await release(hold);
  }
}

const withDeadline = (turn: Turn, ms: number): Turn => ({
  ...turn,
  signal: AbortSignal.any([turn.signal, AbortSignal.timeout(ms)]),
});

/** Returns the budget for searching: what a research may cost, less what its report may cost. Throws a 422. */
function budgetFor(turn: Turn, limits: ResearchLimits): ResearchBudget {
  const maxUsd = maxResearchUsd(limitsOf(turn.caller).research_usd);
  const reserve = maxReportNanoUsd(turn) + maxChecksNanoUsd(smallModelFor(turn));
  const least = reserve + maxCostNanoUsd(turn.model, taskQuestion(turn.model, planTask(turn)).body);
  const max = toNanoUsd(maxUsd);
  if (max < least) {
    throw valueError(
      ['body', 'deep_research'],
      `a research with ${turn.model.id} needs $${toUsd(least)} to begin, and may cost $${maxUsd}`,
    );
  }
  return researchBudget(turn.usage, max - reserve, limits);
}

/** Plans, then searches and studies round by round until the questions are answered or nothing new is found. */
async function* investigate(research: Investigation): AsyncGenerator<ChatEvent, void> {
  const { turn, limits } = research;
  yield stage(turn, 'planning', 'Planning what to find out');
  const plan = await attempt(research, () => askWithin(research, turn.model, planTask(turn)));
  if (plan) research.plan = shortened(plan);
  let queries = queriesOf(research);
  for (let round = 1; queries.length > 0; round += 1) {
    const foundMore = yield* study(research, queries);
    if (!foundMore || round === limits.rounds || research.stoppedBy) return;
    yield stage(turn, 'finding gaps', 'Looking for what is still missing');
    queries = (await attempt(research, () => missingQueries(research))) ?? [];
  }
}

/** Keeps a plan within what the later prompts have room for. */
const shortened = ({ brief, questions }: Plan): Plan => ({
  brief: truncated(brief, 2_000),
  questions: questions
    .slice(0, 5)
    .map(({ question, queries }) => ({ question: truncated(question, 300), queries })),
});

/** The queries of a plan, the first of each question first; the brief itself if it has none. */
function queriesOf({ plan: { brief, questions } }: Investigation): string[] {
  const first = questions.flatMap(({ queries }) => queries.slice(0, 1));
  const others = questions.flatMap(({ queries }) => queries.slice(1));
  const queries = cleanQueries([...first, ...others], maxPlanQueries);
  return queries.length > 0 ? queries : cleanQueries([brief], 1);
}

/** Asks what to search for that was not searched for yet; nothing if the notes suffice. */
async function missingQueries(research: Investigation): Promise<string[]> {
  const { turn, plan, studied, searched } = research;
  const claims = studied.flatMap(({ notes }) => notes.map(({ claim }) => claim));
  const gaps = await askWithin(research, turn.model, gapsTask(plan, claims, [...searched]));
  if (!gaps || gaps.done) return [];
  return cleanQueries(gaps.queries, maxGapQueries).filter((query) => !searched.has(query));
}

/** The answer if there are no notes. Throws if that is because the search failed or could not be paid for. */
async function* nothingFound({ failure, stoppedBy }: Investigation): AnswerEvents {
  if (failure) throw failure;
  if (stoppedBy === 'budget') {
    throw new ServiceError(429, 'budget_exceeded', 'The budget left no search for this research.');
  }
  const text = 'The search found nothing that answers this.';
  yield { type: 'delta', content: text };
  yield { type: 'sources', sources: [] };
  return { text, finishReason: 'stop' };
}
