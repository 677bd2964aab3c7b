import { InvalidAnswer } from '../asked/errors.ts';
import { type Path, pointerOf, type ScalarField, type Value } from '../asked/field.ts';
import { datesIn } from '../words/dates.ts';
import { fold } from '../words/fold.ts';
import { numbersIn } from '../words/numbers.ts';

/** What models write for a value that isn't there. */
const nothing = /^(?:|-+|–|—|n\/?a|null|none|unknown)$/i;

/** Reads a value as its field's type. Throws an `InvalidAnswer` that names its place. */
export function asTyped(field: ScalarField, given: unknown, path: Path): Value {
  if (given === null || given === undefined) return null;
  const { type, options } = field;
  const isText = type === 'string' && !options;
  if (typeof given === 'string' && given.trim() === '') return null;
  if (typeof given === 'string' && !isText && nothing.test(given.trim())) return null;
  const value = typed(type, given);
  if (value === undefined) throw new InvalidAnswer(`${pointerOf(path)} is no ${type}`);
  if (!options) return value;
  const signs = signsOf(value);
  const option =
    options.find((each) => each === value) ??
    options.find((each) => signs !== '' && signsOf(each) === signs);
  if (option === undefined) throw new InvalidAnswer(`${pointerOf(path)} is none of its enum`);
  return option;
}

const signsOf = (value: Value) => fold(`${value}`.split(/\s+/)).signs;

function typed(type: ScalarField['type'], given: unknown): Value | undefined {
  if (type === 'boolean') {
    const text = `${given}`.toLowerCase();
    return text === 'true' ? true : text === 'false' ? false : undefined;
  }
  if (type === 'string') return typeof given === 'object' ? undefined : `${given}`;
  if (type === 'date') return typeof given === 'string' ? dateOf(given) : undefined;
  const number = typeof given === 'string' ? numberOf(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return type === 'number' || Number.isInteger(number) ? number : undefined;
}

function numberOf(text: string): number | undefined {
  const plain = Number(text);
  return Number.isNaN(plain) ? numbersIn(text)[0]?.values[0] : plain;
}

function dateOf(text: string): string | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const [date] = datesIn(text)[0]?.dates ?? [];
  return date?.length === 10 ? date : undefined;
}
