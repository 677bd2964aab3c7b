/** What an operator can put right, in one sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
