import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp';

const candidates = [
  ...'aAeé1 0-./\n\t_"\'’([{<>}])|,:;=&%#@!?*+~^$`\\',
  ...'zs漢\u00a0\u0301\u001b\u0000',
];

/** Ends on which a match that came so far may fail. */
const ends = ['', '\u0000', '!', 'x', '\n'];

/**
 * Returns short texts to repeat, each with a beginning and an end, made against an expression: what it takes one after another
 * without an end, what begins it again and again, and the same with an end that just isn't its.
 */
export function* attacksOn(expression: RegExp): Generator<(length: number) => string> {
  const seen = new Set<string>();
  for (const [before, pump] of pumpsOf(expression)) {
    if (pump === '') continue;
    for (const end of ends) {
      const name = JSON.stringify([before, pump, end]);
      if (seen.has(name)) continue;
      seen.add(name);
      yield (length) =>
        before + pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + end;
    }
  }
}

function* pumpsOf(expression: RegExp): Generator<[before: string, pump: string]> {
  const tree = parseRegExpLiteral(expression);
  const { flags } = expression;
  const quantifiers: AST.Quantifier[] = [];
  const alternatives: AST.Alternative[] = [];
  visitRegExpAST(tree, {
    onQuantifierEnter: (node) => void quantifiers.push(node),
    onAlternativeEnter: (node) => void alternatives.push(node),
  });
  for (const node of quantifiers) {
    const befores = new Set([0, 1, 2].map((variant) => beforeOf(node, variant, flags)));
    for (const before of befores) {
      for (let variant = 0; variant < 6; variant++) {
        const pump = sampleOf(node.element, variant, flags);
        yield [before, pump];
        yield [before, `${pump}${sampleOf(node.element, variant + 1, flags)}`];
        yield ['', `${before}${pump}`];
        yield ['', `${before}${pump.repeat(40)}`];
      }
    }
  }
  for (const { elements } of alternatives) {
    for (let end = 1; end <= elements.length; end++) {
      for (let variant = 0; variant < 3; variant++) {
        const pump = elements.slice(0, end).map((each) => sampleOf(each, variant, flags));
        yield ['', pump.join('')];
      }
    }
  }
}

/** A text that leads up to a node. */
function beforeOf(node: AST.Node, variant: number, flags: string): string {
  const { parent } = node;
  if (!parent) return '';
  const before = beforeOf(parent, variant, flags);
  if (parent.type !== 'Alternative') return before;
  const at = parent.elements.indexOf(node as AST.Element);
  const own = parent.elements.slice(0, at).map((each) => sampleOf(each, variant, flags));
  return before + own.join('');
}

/** A text that a node takes; `variant` says which of several. */
function sampleOf(
  node: AST.Element | AST.QuantifiableElement,
  variant: number,
  flags: string,
): string {
  switch (node.type) {
    case 'Character':
      return String.fromCodePoint(node.value);
    case 'CharacterSet':
    case 'CharacterClass': {
      const one = new RegExp(`^${node.raw}$`, flags.replace(/[gy]/g, ''));
      const fitting = candidates.filter((each) => one.test(each));
      return fitting[variant % fitting.length] ?? '';
    }
    case 'Group':
    case 'CapturingGroup': {
      const { alternatives } = node;
      const elements = alternatives[variant % alternatives.length]?.elements ?? [];
      return elements.map((each) => sampleOf(each, variant, flags)).join('');
    }
    case 'Quantifier':
      return sampleOf(node.element, variant, flags).repeat(
        Math.min(node.max, Math.max(node.min, variant % 2 === 0 ? 1 : node.min)),
      );
    default:
      return '';
  }
}
