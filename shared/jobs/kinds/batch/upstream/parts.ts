import type { ClaimedJob } from '../../../engine/item/job.ts';
import { saveStep, stepsBetween } from '../../../engine/item/steps.ts';

/** Some lines of a batch that are one batch of their model's upstream. */
export interface Part {
  name: string;
  model: string;
  upstream: string;
  /** The first and the last line that it may have. Lines of other models, or already asked, are left out. */
  from: number;
  to: number;
  count: number;
  /** Whether outputs are limited to what the model usually writes, for the budget's sake. */
  isLimited: boolean;
  /** Whether the model has no lines after it. */
  isLast: boolean;
}

/** A part, and how far it has come. Each stage is a step of its own, written once. */
export interface PartState {
  part: Part;
  /** When it was last about to be made; and whether that was refused, so that it certainly wasn't. */
  lastTry?: { atMs: number; number: number; isRefused?: boolean };
  made?: { id: string; atMs: number };
  hasEnded: boolean;
}

export interface Handed {
  /** The models of lines that are handed on; undefined until the lines were looked through. */
  models?: string[];
  /** Whether all lines that aren't handed on have been asked. */
  isRestDone: boolean;
  states: PartState[];
}

const [first, last] = ['part_', 'part_~'];
const planName = 'part_plan';
const restName = 'part_rest';

/** The name of the part of a number. */
export const partName = (number: number) => `part_${String(number).padStart(4, '0')}`;

/** Reads how far the parts of a batch have come. */
export async function readHanded(job: ClaimedJob): Promise<Handed> {
  const handed: Handed = { isRestDone: false, states: [] };
  const byName = new Map<string, PartState>();
  for await (const { name, value } of stepsBetween<unknown>(job, first, last)) {
    const [, number = '', stage, tries] = name.split('_');
    if (name === planName) handed.models = (value as { models: string[] }).models;
    else if (name === restName) handed.isRestDone = true;
    else if (!stage) {
      const state = { part: value as Part, hasEnded: false };
      byName.set(number, state);
      handed.states.push(state);
    } else noteStage(byName.get(number), stage, Number(tries), value);
  }
  return handed;
}

function noteStage(state: PartState | undefined, stage: string, number: number, value: unknown) {
  if (!state) return;
  if (stage === 'try') {
    state.lastTry = { atMs: (value as { atMs: number }).atMs, number };
  } else if (stage === 'void') {
    if (state.lastTry?.number === number) state.lastTry.isRefused = true;
  } else if (stage === 'made') state.made = value as { id: string; atMs: number };
  else state.hasEnded = true;
}

/** Notes which models have lines that are handed on. */
export const notePlan = (job: ClaimedJob, models: string[]) => saveStep(job, planName, { models });

/** Notes that all other lines have been asked. */
export const noteRestDone = (job: ClaimedJob) => saveStep(job, restName, true);

/** Notes that a part is about to be made. Nothing is asked of the upstream before. */
export async function noteTry(job: ClaimedJob, state: PartState) {
  const number = (state.lastTry?.number ?? 0) + 1;
  const atMs = Date.now();
  await saveStep(job, stageName(state, 'try', number), { atMs });
  state.lastTry = { atMs, number };
}

/** Notes that the last try was refused. */
export async function noteRefused(job: ClaimedJob, { lastTry, ...state }: PartState) {
  if (!lastTry) return;
  await saveStep(job, stageName(state, 'void', lastTry.number), true);
  lastTry.isRefused = true;
}

const stageName = ({ part }: Pick<PartState, 'part'>, stage: string, number: number) =>
  `${part.name}_${stage}_${String(number).padStart(3, '0')}`;

/** Notes which batch of the upstream's a part is. */
export async function noteMade(job: ClaimedJob, state: PartState, id: string) {
  state.made = { id, atMs: Date.now() };
  await saveStep(job, `${state.part.name}_made`, state.made);
}

/** The name of the step that says that nothing more comes of a part. */
export const endedName = ({ name }: Part) => `${name}_ended`;

/** What a part's standing hold is called. */
export const standingIdOf = ({ job_id }: Pick<ClaimedJob, 'job_id'>, { name }: Part) =>
  `${job_id}_${name}`;
