import type { FieldError } from './errors.ts';

/** Where a text stops being JSON, and why. */
export interface JsonFault {
  /** Counted in UTF-16 code units, from 0. */
  position: number;
  /** Counted from 1, as is the column. */
  line: number;
  column: number;
  /** In the words of `JSON.parse`, such as `Expected ',' or '}' after property value`. */
  reason: string;
}

/** Parses a JSON text. Returns its value, or where and why it is none. */
export function readJson(text: string): { value: unknown } | { fault: JsonFault } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: faultIn(text) };
  }
}

function faultIn(text: string): JsonFault {
  // V8 tells what is around a token, if there is enough of it.
  const spaced = text + ' '.repeat(20);
  const message = complaintAbout(spaced);
  const position = Math.min(placeIn(spaced, message), text.length);
  const [reason = ''] = message.split(/ in JSON at | at position |, (?:\.{3})?"/);
  return { position, ...lineAt(text, position), reason };
}

function complaintAbout(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/**
 * Reads the place out of V8's message. For a token that V8 didn't expect there is none in it, but what is around: the ten
 * characters before, if there are any, and ten from there on. They are looked for from the beginning: all before the
 * first fault is JSON, so only a string can have the same earlier.
 * @see https://github.com/v8/v8/blob/13.6.233/src/json/json-parser.cc
 */
function placeIn(text: string, message: string): number {
  const [, told] = / at position (\d+)/.exec(message) ?? [];
  if (told) return Number(told);
  const [, dots, around] = /^Unexpected token '.', (\.{3})?"(.*)"\.{3} is/s.exec(message) ?? [];
  if (around === undefined) return text.length;
  return dots ? text.indexOf(around) + 10 : around.length - 10;
}

function lineAt(text: string, position: number): Pick<JsonFault, 'line' | 'column'> {
  let line = 1;
  let begin = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', begin)) {
    line += 1;
    begin = end + 1;
  }
  return { line, column: position - begin + 1 };
}

/** Objects and lists may lie within one another this deep; JSON is written out by recursion, which has an end. */
export const maxNesting = 64;

/**
 * The most values in a JSON text, names in objects included. Once parsed, each takes up to 200 bytes and a
 * microsecond, and 6 MB have room for three million. 300,000 numbers pass, the most that OpenAI embeds at once, and
 * 100,000 messages, the most that Anthropic takes.
 * @see https://platform.openai.com/docs/api-reference/embeddings/create
 * @see https://platform.claude.com/docs/en/api/messages/create
 */
export const maxJsonValues = 500_000;

/** The most names in an object: a request is copied several times, at a microsecond for each name. */
export const maxJsonNames = 10_000;

/**
 * Finds out whether a JSON text is too much to be parsed, by its brackets, commas and colons outside of strings. Returns
 * what to tell its sender: `json_invalid` for its depth, of which `levelsAround` don't count; `too_long`, with the
 * outermost field in which they become too many, for its values or names.
 */
export function excessIn(text: string, levelsAround = 0): FieldError | undefined {
  const deepest = maxNesting + levelsAround;
  /** How many names each open object has had so far, by its depth. */
  const names = new Uint32Array(deepest + 1);
  let values = 0;
  let depth = 0;
  let fieldAt = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (char === '{' || char === '[') {
      if (depth === deepest) return tooDeep;
      depth += 1;
      values += 1;
      names[depth] = 0;
    } else if (char === '}' || char === ']') {
      depth -= 1;
    } else if (char === ',') {
      values += 1;
      if (depth === 1) fieldAt = at;
    } else if (char === ':') {
      values += 1;
      const count = (names[depth] ?? 0) + 1;
      names[depth] = count;
      if (count > maxJsonNames) return tooMany(ofNames, depth > 1 ? fieldIn(text, fieldAt) : []);
    }
    if (values > maxJsonValues) return tooMany(ofValues, fieldIn(text, fieldAt));
  }
  return undefined;
}

const ofNames = `${maxJsonNames} names in an object`;
const ofValues = `${maxJsonValues} values in all, the names in objects counted too`;

const tooDeep: FieldError = {
  loc: [],
  msg: `Input should not be nested deeper than ${maxNesting} levels`,
  type: 'json_invalid',
};

const tooMany = (most: string, loc: string[]): FieldError => ({
  loc,
  msg: `Input should have at most ${most}`,
  type: 'too_long',
});

/** The name that stands behind the bracket or comma of an object at a place, if it is an ordinary one. */
const fieldIn = (text: string, at: number): string[] =>
  /^[{,]\s*"(\w{1,100})"\s*:/.exec(text.slice(at, at + 200))?.slice(1) ?? [];
