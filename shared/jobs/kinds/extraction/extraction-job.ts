import { type StepJob, stepKind } from '../chat/step-kind.ts';

/** The step that takes fields from pages. These are compressed lines of JSON. */
export interface ExtractionJob extends StepJob {
  kind: 'extraction';
}

export const extractionKind = {
  ...stepKind,
  name: 'extraction',
  job: undefined as ExtractionJob | undefined,
} as const;
