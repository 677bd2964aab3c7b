import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonFault, readJson } from '../../shared/http/read-json.ts';
import { cases } from '../support/run/cases.ts';

/** JSON that is whole, or has lost or gained something in one place. */
const almostJson = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', ...'{}[]:,"\\ntfu019.-+eE \n\u0000x\'é\ud83d', 'None', 'NaN', '/*'),
  )
  .map(([text, place, length, more]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + more + text.slice(at + length);
  });

function faultIn(text: string): JsonFault | undefined {
  const read = readJson(text);
  return 'fault' in read ? read.fault : undefined;
}

describe('a fault in JSON', () => {
  it('is where the text before could still have become JSON, and no longer can', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        const fault = faultIn(text);
        if (!fault) return;

        const { position } = fault;
        // Cut off just before, the text is wrong only because it ends; with one more character it is wrong there too.
        const before = faultIn(text.slice(0, position));
        expect(before?.position ?? position).toBe(position);
        if (position < text.length) {
          expect(faultIn(text.slice(0, position + 1))?.position).toBe(position);
        }
      }),
      { numRuns: cases(200, 2_000) },
    );
  });

  it('is told with the line and the column of its place', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        const fault = faultIn(text);
        if (!fault) return;

        const lines = text.slice(0, fault.position).split('\n');
        expect(fault).toMatchObject({
          line: lines.length,
          column: (lines.at(-1)?.length ?? 0) + 1,
        });
      }),
    );
  });

  it.each<[string, number, number, string]>([
    ['', 1, 1, 'Unexpected end of JSON input'],
    ['{"a": 1,}', 1, 9, 'Expected double-quoted property name'],
    ["{'a': 1}", 1, 2, "Expected property name or '}'"],
    ['{\n  "a" 1\n}', 2, 7, "Expected ':' after property name"],
    ['{"a": None}', 1, 7, "Unexpected token 'N'"],
    ['[1\n 2]', 2, 2, "Expected ',' or ']' after array element"],
    ['[1, 2', 1, 6, "Expected ',' or ']' after array element"],
    ['[,]', 1, 2, "Unexpected token ','"],
    ['{"a": "b', 1, 9, 'Unterminated string'],
    ['{"a": "b\nc"}', 1, 9, 'Bad control character in string literal'],
    ['{"a\nb": "c"}', 1, 4, 'Bad control character in string literal'],
    ['{"a": "\u0001"}', 1, 8, 'Bad control character in string literal'],
    ['{"a": "\\x"}', 1, 9, 'Bad escaped character'],
    ['{"a": 01}', 1, 8, 'Unexpected number'],
    ['{"a": 1} and', 1, 10, 'Unexpected non-whitespace character after JSON'],
    ['{"a": {"b": ["c", {"d": 1}, {"d"}]}}', 1, 33, "Expected ':' after property name"],
    ['"a" "', 1, 5, 'Unexpected non-whitespace character after JSON'],
    ['{"first": "None",\n "b": None, "third": 3}', 2, 7, "Unexpected token 'N'"],
    ['undefined', 1, 1, "Unexpected token 'u'"],
  ])('of %j is told by line %i, column %i: %s', (text, line, column, reason) => {
    expect(faultIn(text)).toMatchObject({ line, column, reason });
  });

  it('is found in megabytes', () => {
    const lines = `[${'\n'.repeat(3_000_000)}x`;
    const escapes = `["${'\\n'.repeat(1_500_000)}" 1`;

    expect(faultIn(lines)).toMatchObject({ position: 3_000_001, line: 3_000_001, column: 1 });
    expect(faultIn(escapes)?.position).toBe(3_000_004);
  });
});
