import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../shared/http/json-fault.ts';
import { cases } from '../support/run/cases.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON that is whole, or has lost or gained something in one place. */
const almostJson = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', ...'{}[]:,"\\ntfu019.-+eE \n\u0000x\'é\ud83d'),
  )
  .map(([text, place, length, more]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + more + text.slice(at + length);
  });

describe('a fault in JSON', () => {
  it('is found exactly where JSON.parse refuses a text', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        expect(findJsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: cases(200, 2_000) },
    );
  });

  it.each<[string, number, number, string]>([
    ['', 1, 1, 'expected a value, found the end'],
    ['{"a": 1,}', 1, 9, 'expected a name in double quotes, found "}"'],
    ["{'a': 1}", 1, 2, 'expected a name in double quotes or }, found "\'"'],
    ['{\n  "a" 1\n}', 2, 7, 'expected a colon, found "1"'],
    ['{"a": None}', 1, 7, 'expected a value, found "None"'],
    ['[1\n 2]', 2, 2, 'expected a comma or ], found "2"'],
    ['[1, 2', 1, 6, 'expected a comma or ], found the end'],
    ['[,]', 1, 2, 'expected a value or ], found ","'],
    ['{"a": "b', 1, 9, 'expected a closing quote, found the end'],
    ['{"a": "b\nc"}', 1, 9, 'expected a closing quote, found the end of the line'],
    ['{"a": "\u0001"}', 1, 8, 'expected a closing quote, found U+0001'],
    ['{"a": "\\x"}', 1, 8, 'expected a valid escape, found "\\"'],
    ['{"a": 01}', 1, 8, 'expected a comma or }, found "1"'],
    ['{"a": 1} and', 1, 10, 'expected the end, found "and"'],
    ['{"a": {"b": ["c", {"d": 1}, {"d"}]}}', 1, 33, 'expected a colon, found "}"'],
    ['"a" "', 1, 5, 'expected the end, found a double quote'],
  ])('of %j is told by line %i, column %i: %s', (text, line, column, reason) => {
    expect(findJsonFault(text)).toMatchObject({ line, column, reason });
  });

  it('is found in megabytes, however deep', () => {
    const deep = '['.repeat(3_000_000);
    const escapes = `["${'\\n'.repeat(1_500_000)}" 1`;

    expect(findJsonFault(deep)?.position).toBe(3_000_000);
    expect(findJsonFault(escapes)?.position).toBe(3_000_004);
  });
});
