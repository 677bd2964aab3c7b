import fc from 'fast-check';
import { expect } from 'vitest';
import { ServiceError } from '../../../shared/http/errors.ts';
import { mutated } from '../../openapi/mutations.ts';

/** A value with a change or two, as JSON can have it: some of its names make texts and numbers of no object. */
export const changed = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(mutated(fc.constant(value)), fc.boolean())
    .map(([each, isOdd]) =>
      JSON.stringify(each ?? null).replaceAll('"constructor":1', isOdd ? odd : '"a":1'),
    )
    .map((text): unknown => JSON.parse(text));
const odd = '"toString":1,"valueOf":1';

/** Expects that something works, or says to callers what doesn't. */
export function expectHandled(work: () => void): void {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
  }
}
