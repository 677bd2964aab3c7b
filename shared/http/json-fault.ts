/** Where a text stops being JSON, and what is wrong there, such as `expected a comma or ], found "x"`. */
export interface JsonFault {
  /** Counted in UTF-16 code units, from 0. */
  position: number;
  /** Counted from 1, as is the column. */
  line: number;
  column: number;
  /** What should have stood there. */
  expected: string;
  reason: string;
}

const space = /[ \t\n\r]*/y;
const plainText = /[\u0020\u0021\u0023-\u005b\u005d-\uffff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

const closing = { object: '}', array: ']' };
type Kind = keyof typeof closing;

/**
 * Finds the first place where a text is not JSON; undefined if it is JSON. The message of `JSON.parse` tells the
 * place of some faults only.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: Kind[] = [];
  /** Whether the last thing read has opened an object or array. */
  let isEmpty = false;
  let at = 0;

  const take = (pattern: RegExp | string): boolean => {
    const length = typeof pattern === 'string' ? Number(text[at] === pattern) : match(pattern);
    at += length;
    return length > 0;
  };
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 0;
  };

  // Each of these reads one piece, and returns what it expected in vain.
  const readText = () => {
    do take(plainText);
    while (take(escaped));
    if (take('"')) return undefined;
    return text[at] === '\\' ? 'a valid escape' : 'a closing quote';
  };
  const readName = (orEnd: string) => {
    if (!take('"')) return `a name in double quotes${orEnd}`;
    const expected = readText();
    take(space);
    return expected ?? (take(':') ? undefined : 'a colon');
  };
  const readValue = (orEnd = '') => {
    take(space);
    if (take('"')) return readText();
    const kind = take('{') ? 'object' : take('[') ? 'array' : undefined;
    if (!kind) return take(scalar) ? undefined : `a value${orEnd}`;
    isEmpty = true;
    open.push(kind);
    return undefined;
  };
  const readItem = (kind: Kind) => {
    const orEnd = isEmpty ? ` or ${closing[kind]}` : '';
    isEmpty = false;
    take(space);
    return kind === 'array' ? readValue(orEnd) : (readName(orEnd) ?? readValue());
  };

  let expected = readValue();
  while (!expected) {
    take(space);
    const kind = open.at(-1);
    if (!kind && at === text.length) return undefined;
    if (!kind) expected = 'the end';
    else if (take(closing[kind])) {
      open.pop();
      isEmpty = false;
    } else expected = isEmpty || take(',') ? readItem(kind) : `a comma or ${closing[kind]}`;
  }
  return faultAt(text, at, expected);
}

function faultAt(text: string, position: number, expected: string): JsonFault {
  const lines = text.slice(0, position).split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return {
    position,
    line: lines.length,
    column,
    expected,
    reason: `expected ${expected}, found ${foundAt(text, position)}`,
  };
}

const word = /[\p{L}\p{N}_$+.-]{1,20}/uy;

/** Says what stands in a place: a word, a character, or the end. */
function foundAt(text: string, position: number): string {
  const code = text.codePointAt(position);
  if (code === undefined) return 'the end';
  if (code === 10 || code === 13) return 'the end of the line';
  if (code < 32 || (code >= 0xd800 && code <= 0xdfff)) {
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }
  word.lastIndex = position;
  const found = word.exec(text)?.[0] ?? String.fromCodePoint(code);
  return found === '"' ? 'a double quote' : `"${found}"`;
}
