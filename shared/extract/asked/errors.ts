/** What is asked for can't be taken: `path` leads to the bad place, from `schema` or `example` on. */
export class ExtractError extends Error {
  override readonly name = 'ExtractError';
  readonly path: string[];

  constructor(path: string[], message: string) {
    super(message);
    this.path = path;
  }
}

/** An answer of a model that has no values in the shape it was asked for. */
export class InvalidAnswer extends Error {
  override readonly name = 'InvalidAnswer';
}
