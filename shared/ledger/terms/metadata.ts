import * as v from 'valibot';
import { typedMessage } from '../../http/field-errors.ts';
import { isLonger, runningAs } from '../../http/schema.ts';

const maxPairs = 16;
const maxNameLength = 64;
const maxValueLength = 512;

/**
 * The caller's own tags. Errors tell a pair's number, never its name or value, as they are logged.
 * @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-metadata
 */
export const Metadata = runningAs(
  v.pipe(
    v.record(
      v.pipe(v.string(), v.minLength(1), v.maxLength(maxNameLength)),
      v.pipe(v.string(), v.maxLength(maxValueLength)),
    ),
    v.maxEntries(maxPairs),
  ),
  (value) => {
    const fault = faultOf(value);
    return fault === undefined ? asItIs : v.custom(() => false, fault);
  },
);

export type Metadata = v.InferOutput<typeof Metadata>;

/** Valibot's own record would drop names such as `prototype` in silence. */
const asItIs = v.custom<Record<string, string>>(() => true);

function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return typedMessage('dict_type', 'Input should be a valid dictionary');
  }
  const pairs = Object.entries(value);
  if (pairs.length > maxPairs) {
    const msg = `Dictionary should have at most ${maxPairs} items after validation, not ${pairs.length}`;
    return typedMessage('too_long', msg);
  }
  for (const [index, [name, text]] of pairs.entries()) {
    const fault = faultOfName(name) ?? faultOfValue(text);
    if (fault) return typedMessage('value_error', `Value error, pair ${index + 1} has ${fault}`);
  }
  return undefined;
}

function faultOfName(name: string): string | undefined {
  if (name === '') return 'an empty name';
  if (isLonger(name, maxNameLength)) return `a name of more than ${maxNameLength} characters`;
  // The store's client tells plain objects by these, and could not write the charge.
  return name.isWellFormed() && !(name in Object.prototype)
    ? undefined
    : 'a name that can’t be kept';
}

function faultOfValue(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'a value that is no string';
  if (isLonger(text, maxValueLength)) return `a value of more than ${maxValueLength} characters`;
  return text.isWellFormed() ? undefined : 'a value that is no valid Unicode';
}

/** The attribute of a charge or a job that has metadata; none without any. */
export const metadataOf = (metadata: Metadata | null | undefined): { metadata?: Metadata } =>
  metadata && Object.keys(metadata).length > 0 ? { metadata } : {};
