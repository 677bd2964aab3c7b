/** How far one research may go. */
export interface ResearchLimits {
  rounds: number;
  atOnce: number;
  /** Sources that are studied in all, and in one round. */
  sources: number;
  sourcesPerRound: number;
  calls: number;
  /** After this time nothing more is searched or studied, and the report is written. */
  searchMs: number;
  /** How long a step that is under way then is waited for. */
  graceMs: number;
  totalMs: number;
}

export const researchLimits: ResearchLimits = {
  rounds: 2,
  atOnce: 4,
  sources: 12,
  sourcesPerRound: 7,
  calls: 16,
  searchMs: 6 * 60_000,
  graceMs: 60_000,
  totalMs: 10 * 60_000,
};
