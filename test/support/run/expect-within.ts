import fc from 'fast-check';

/**
 * Expects a property to hold in so many cases, or in as many as `ms` has time for. The case that runs then is the last, and
 * ends: fast-check's own limits of time leave it at work beside the next test.
 */
export async function expectWithin<Case>(
  ms: number,
  property: fc.IAsyncPropertyWithHooks<Case>,
  numRuns: number,
): Promise<void> {
  const endsAt = performance.now() + ms;
  const run = property.run.bind(property);
  property.run = async (value) => (performance.now() < endsAt ? run(value) : null);
  await fc.assert(property, { numRuns });
}
