import { valueError } from '../http/errors.ts';

/** Fields of a message and of its parts that decide what it costs. */
const messageNames = [
  ...['role', 'content', 'type', 'text', 'refusal', 'image_url', 'input_audio', 'audio'],
  ...['file', 'file_data', 'file_id', 'cache_control', 'ttl'],
];

/** The fields with the arguments of a caller's tool and their schema, which may have any names. */
const ownData = new Set(['input', 'parameters']);

/** Deeper than any provider reads. */
const maxDepth = 12;

type Place = (string | number)[];

/**
 * Throws `UnprocessableEntityError` for such a parameter in another case: servers in Go take `MAX_TOKENS` for
 * `max_tokens`.
 * @see https://pkg.go.dev/encoding/json#Unmarshal
 */
export function refuseOtherCase(
  parameters: Record<string, unknown>,
  names: readonly string[],
  place: Place = ['body'],
): void {
  const known = byFolded(names);
  for (const name of Object.keys(parameters)) refuseUnlessWritten(name, known, place);
}

/** Throws the same for a field within messages that stand at a place. They may have further names. */
export const refuseOtherCaseWithin = (
  messages: readonly unknown[],
  place: Place,
  names: readonly string[] = [],
): void => refuseWithin(messages, byFolded([...messageNames, ...names]), place);

function refuseWithin(value: unknown, known: Known, loc: Place): void {
  if (typeof value !== 'object' || value === null || loc.length > maxDepth) return;
  for (const [key, each] of Object.entries(value)) {
    const isItem = Array.isArray(value);
    if (!isItem) refuseUnlessWritten(key, known, loc);
    if (!ownData.has(key)) refuseWithin(each, known, [...loc, isItem ? Number(key) : key]);
  }
}

/** Names by what Go compares them as. */
type Known = Map<string, string[]>;

const byFolded = (names: readonly string[]): Known => Map.groupBy(names, folded);

/** Makes one of all cases of a name. In upper case first, as `ſ` is another case of `S`. */
const folded = (name: string) => name.toUpperCase().toLowerCase();

function refuseUnlessWritten(name: string, known: Known, loc: Place): void {
  const meant = known.get(folded(name));
  if (!meant || meant.includes(name)) return;
  throw valueError([...loc, name], `unknown name; did you mean ${meant[0]}?`);
}
