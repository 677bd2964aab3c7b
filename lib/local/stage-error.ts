/** A reason the stage can't run that its user can do something about: shown as one sentence. */
export class StageError extends Error {
  override readonly name = 'StageError';
}
