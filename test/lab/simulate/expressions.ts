/** An item as the document client shows it. */
export type Item = Record<string, unknown>;

/** What an expression's names and values stand for. */
export interface Bindings {
  names: Record<string, string>;
  values: Record<string, unknown>;
}

type Evaluate<Result> = (item: Item | undefined, bindings: Bindings) => Result;

const conditions = new Map<string, Evaluate<boolean>>();
const updates = new Map<string, Evaluate<Item>>();

/** Whether a condition holds for an item; undefined is an item that isn't there. */
export function holds(condition: string | undefined, item: Item | undefined, by: Bindings) {
  if (condition === undefined) return true;
  let compiled = conditions.get(condition);
  if (!compiled) {
    compiled = new Parser(condition).condition();
    conditions.set(condition, compiled);
  }
  return compiled(item, by);
}

/** Returns the item as an update makes it. Each sum is of the attributes as they were before. */
export function updated(update: string, item: Item, by: Bindings): Item {
  let compiled = updates.get(update);
  if (!compiled) {
    compiled = new Parser(update).update();
    updates.set(update, compiled);
  }
  return compiled(item, by);
}

const tokenPattern = /\s*(<>|<=|>=|[=<>(),+-]|[#:]?\w+)/y;

/**
 * Reads DynamoDB's expressions, as far as attributes are of the first level, into functions. Anything else is an error, so
 * that none is passed over.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
 */
class Parser {
  private readonly tokens: string[] = [];
  private at = 0;

  private readonly text: string;

  constructor(text: string) {
    this.text = text;
    tokenPattern.lastIndex = 0;
    while (tokenPattern.lastIndex < text.trimEnd().length) {
      const [, token] = tokenPattern.exec(text) ?? [];
      if (token === undefined) throw new Error(`Can't read the expression ${text}`);
      this.tokens.push(token);
    }
  }

  condition(): Evaluate<boolean> {
    const whole = this.or();
    if (this.at < this.tokens.length) this.fail();
    return whole;
  }

  update(): Evaluate<Item> {
    const changes: ((from: Item, to: Item, by: Bindings) => void)[] = [];
    while (this.at < this.tokens.length) {
      const clause = this.next().toUpperCase();
      do changes.push(this.change(clause));
      while (this.take(','));
    }
    return (from = {}, by) => {
      const to = { ...from };
      for (const change of changes) change(from, to, by);
      return to;
    };
  }

  private change(clause: string): (from: Item, to: Item, by: Bindings) => void {
    const name = this.name();
    if (clause === 'REMOVE') return (_, to, by) => void delete to[name(by)];
    if (clause === 'ADD') {
      const more = this.operand();
      return (from, to, by) => {
        to[name(by)] = ((from[name(by)] as number) ?? 0) + (more(from, by) as number);
      };
    }
    if (clause !== 'SET') this.fail();
    this.expect('=');
    const value = this.sum();
    return (from, to, by) => {
      to[name(by)] = value(from, by);
    };
  }

  private sum(): Evaluate<unknown> {
    const left = this.operand();
    const sign = this.take('+') ? 1 : this.take('-') ? -1 : 0;
    if (sign === 0) return left;
    const right = this.operand();
    return (item, by) => {
      const [a, b] = [left(item, by), right(item, by)];
      if (typeof a !== 'number' || typeof b !== 'number') {
        throw new TypeError(`No numbers to add up: ${this.text}`);
      }
      return a + sign * b;
    };
  }

  private or(): Evaluate<boolean> {
    const left = this.and();
    if (!this.takeWord('OR')) return left;
    const right = this.or();
    return (item, by) => left(item, by) || right(item, by);
  }

  private and(): Evaluate<boolean> {
    const left = this.not();
    if (!this.takeWord('AND')) return left;
    const right = this.and();
    return (item, by) => left(item, by) && right(item, by);
  }

  private not(): Evaluate<boolean> {
    if (this.takeWord('NOT')) {
      const inner = this.not();
      return (item, by) => !inner(item, by);
    }
    if (this.take('(')) {
      const inner = this.or();
      this.expect(')');
      return inner;
    }
    return this.comparison();
  }

  private comparison(): Evaluate<boolean> {
    const word = this.tokens[this.at];
    if (word === 'attribute_exists' || word === 'attribute_not_exists') {
      this.at += 1;
      this.expect('(');
      const name = this.name();
      this.expect(')');
      const exists = word === 'attribute_exists';
      return (item, by) => (item?.[name(by)] !== undefined) === exists;
    }
    if (word === 'begins_with') {
      this.at += 1;
      this.expect('(');
      const text = this.operand();
      this.expect(',');
      const start = this.operand();
      this.expect(')');
      return (item, by) => String(text(item, by)).startsWith(String(start(item, by)));
    }
    const left = this.operand();
    if (this.takeWord('BETWEEN')) {
      const from = this.operand();
      if (!this.takeWord('AND')) this.fail();
      const to = this.operand();
      return (item, by) => {
        const value = left(item, by);
        return compare(value, from(item, by), '>=') && compare(value, to(item, by), '<=');
      };
    }
    const operator = this.next();
    const right = this.operand();
    return (item, by) => compare(left(item, by), right(item, by), operator);
  }

  private operand(): Evaluate<unknown> {
    const token = this.next();
    if (token === 'if_not_exists') {
      this.expect('(');
      const name = this.name();
      this.expect(',');
      const otherwise = this.operand();
      this.expect(')');
      return (item, by) => item?.[name(by)] ?? otherwise(item, by);
    }
    if (token.startsWith(':')) {
      return (_, { values }) => {
        if (!(token in values)) throw new Error(`No value for ${token}: ${this.text}`);
        return values[token];
      };
    }
    this.at -= 1;
    const name = this.name();
    return (item, by) => item?.[name(by)];
  }

  private name(): (by: Bindings) => string {
    const token = this.next();
    if (!/^#?\w+$/.test(token)) this.fail();
    if (!token.startsWith('#')) return () => token;
    return ({ names }) => {
      const name = names[token];
      if (name === undefined) throw new Error(`No name for ${token}: ${this.text}`);
      return name;
    };
  }

  private next(): string {
    const token = this.tokens[this.at];
    if (token === undefined) this.fail();
    this.at += 1;
    return token;
  }

  private take(token: string): boolean {
    if (this.tokens[this.at] !== token) return false;
    this.at += 1;
    return true;
  }

  private takeWord(word: string): boolean {
    if (this.tokens[this.at]?.toUpperCase() !== word) return false;
    this.at += 1;
    return true;
  }

  private expect(token: string): void {
    if (!this.take(token)) this.fail();
  }

  private fail(): never {
    throw new Error(`Can't read the expression ${this.text}`);
  }
}

/** Values of different types, and one that isn't there, compare as nothing but different. */
function compare(left: unknown, right: unknown, operator: string): boolean {
  if (operator === '<>') return left !== right;
  if (left === undefined || typeof left !== typeof right) return false;
  const [a, b] = [left as number, right as number];
  if (operator === '=') return a === b;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  if (operator === '>') return a > b;
  if (operator === '>=') return a >= b;
  throw new Error(`There is no operator ${operator}`);
}
