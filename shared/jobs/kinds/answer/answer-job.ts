import { type StepJob, stepKind } from '../chat/step-kind.ts';

/** The chat step of a pipeline. Its pages are JSON. */
export interface AnswerJob extends StepJob {
  kind: 'answer';
}

export const answerKind = {
  ...stepKind,
  name: 'answer',
  job: undefined as AnswerJob | undefined,
} as const;
