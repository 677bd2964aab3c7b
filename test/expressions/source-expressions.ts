import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** A regular expression, and the file that has it. */
export interface SourceExpression {
  file: string;
  expression: RegExp;
}

/** Returns the expressions that the source has as literals, and how many others its files make. */
export function expressionsIn(root: string): {
  literals: SourceExpression[];
  making: Map<string, number>;
} {
  const literals: SourceExpression[] = [];
  const making = new Map<string, number>();
  for (const file of globSync('{functions,shared}/**/*.ts', { cwd: root }).sort()) {
    const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
    new Visitor({
      Literal(node) {
        if (!('regex' in node)) return;
        const { pattern, flags } = node.regex;
        literals.push({ file, expression: new RegExp(pattern, flags) });
      },
      NewExpression({ callee }) {
        if (callee.type === 'Identifier' && callee.name === 'RegExp')
          making.set(file, (making.get(file) ?? 0) + 1);
      },
    }).visit(program);
  }
  return { literals, making };
}

/** Returns the expressions that files make while they are loaded. */
export async function expressionsMadeBy(root: string, files: Iterable<string>) {
  const made: SourceExpression[] = [];
  const { RegExp: original } = globalThis;
  for (const file of files) {
    globalThis.RegExp = new Proxy(original, {
      construct(target, parts) {
        const expression = Reflect.construct(target, parts);
        made.push({ file, expression });
        return expression;
      },
    });
    await import(join(root, file)).finally(() => {
      globalThis.RegExp = original;
    });
  }
  return made;
}
