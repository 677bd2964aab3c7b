/** An error that the stage's user can do something about. Only its message is shown, which is a sentence. */
export class StageError extends Error {
  override readonly name = 'StageError';
}
