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
 * characters before, if there are so many, and ten from there on. They are looked for from the beginning: all before the
 * first fault is JSON, so only a string can have the same earlier.
 *
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
