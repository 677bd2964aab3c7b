import fc from 'fast-check';

type Path = (string | number)[];

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, '', 0, -1, 0.5, 1e308, true, [], {}, [[]], '\ud83d', '\u0000'),
  fc.constantFrom('é'.repeat(100_001), Number.MAX_SAFE_INTEGER, {
    __proto__: null,
    constructor: 1,
  }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One change to a value somewhere in it: something odd in a place, a key gone, or one too many. */
const change = fc.record({
  where: fc.nat(),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  value: odd,
});

/** A value as it is, or changed in a place or two. */
export const mutated = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      values,
      fc.oneof(
        { arbitrary: fc.constant([]), weight: 1 },
        { arbitrary: fc.array(change, { minLength: 1, maxLength: 2 }), weight: 1 },
      ),
    )
    .map(([value, changes]) => changes.reduce<unknown>(changed, value));

function changed(
  root: unknown,
  { where, how, value }: { where: number; how: string; value: unknown },
): unknown {
  const paths = pathsOf(root);
  const path = paths[where % paths.length] ?? [];
  return at(root, path, how, value);
}

const pathsOf = (value: unknown, path: Path = []): Path[] =>
  typeof value !== 'object' || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]))];

function at(node: unknown, [key, ...rest]: Path, how: string, value: unknown): unknown {
  if (key === undefined) {
    return how === 'add' && typeof node === 'object' && !Array.isArray(node)
      ? { ...node, unheard_of: value }
      : value;
  }
  const copy = Array.isArray(node) ? [...node] : { ...(node as object) };
  if (how === 'remove' && rest.length === 0) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1);
    else delete (copy as Record<string, unknown>)[key];
    return copy;
  }
  (copy as Record<string, unknown>)[key] = at(
    (copy as Record<string, unknown>)[key],
    rest,
    how,
    value,
  );
  return copy;
}
