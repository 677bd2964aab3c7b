import { InvalidAnswer } from '../asked/errors.ts';

/** More places where an object may begin aren't tried: each is read to its end. */
const maxStarts = 20;

/** Returns the one JSON object in a text that may be fenced or have words around it. Throws an `InvalidAnswer`. */
export function objectIn(text: string): Record<string, unknown> {
  const found: Record<string, unknown>[] = [];
  let start = text.indexOf('{');
  for (let tried = 0; start >= 0 && tried < maxStarts; tried++) {
    const end = endOfObject(text, start);
    // A whole object within a cut one would pass for the answer.
    if (end < 0 && /^\{\s*"/.test(text.slice(start, start + 100)))
      throw new InvalidAnswer('it is cut off');
    const object = end < 0 ? undefined : parsed(text.slice(start, end));
    if (object) found.push(object);
    start = text.indexOf('{', object ? end : start + 1);
  }
  if (found.length === 1 && found[0]) return found[0];
  throw new InvalidAnswer(found.length === 0 ? 'it has no JSON object' : 'it has several objects');
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where the brackets that open at a place are closed; -1 if they aren't. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (isString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}' && --depth === 0) return at + 1;
  }
  return -1;
}
