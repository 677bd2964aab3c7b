import type { TableRow } from './document-fields.ts';
import type { JsonSchema } from './json-schema.ts';

const maxDepth = 10;
const maxValues = 1_000;
const maxItems = 100;
const noValue = '[offline model: no value]';
const formatExamples = new Map([
  ['date', '1970-01-01'],
  ['date-time', '1970-01-01T00:00:00Z'],
  ['time', '00:00:00Z'],
  ['email', 'offline@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '00000000-0000-0000-0000-000000000000'],
]);

/** The values that fields get by their names. */
export interface Extracts {
  /** Sentences of the text, word for word, that fit the question: for `quote` and the `claim` beside it. */
  quotes: string[];
  /** What is asked, one by one: for `question`, and together for `brief`. */
  questions: string[];
  /** Returns what to search for an answer: for `queries`. */
  queriesOf(question: string): string[];
  /** Finds the value of a field of a document, which is asked for with its quote and page. */
  valueOf(name: string, schema: JsonSchema): object;
  /** Finds the rows of a document's table, which are asked for with their line and page. */
  rowsOf(columns: Record<string, JsonSchema>): TableRow[];
}

/** Makes a value that fits a JSON schema: extracts for fields named so, the answer for the first free string, else empty. */
export function jsonFor(root: JsonSchema, answer: string, extracts: Extracts): unknown {
  let isAnswered = false;
  let quote = '';
  let question = extracts.questions.join(' ');
  // Schemas that refer to each other may describe more values than memory holds.
  let valuesLeft = maxValues;
  return fill(root, 0);

  function fill(schema: JsonSchema | undefined, depth: number): unknown {
    if (!schema || --valuesLeft < 0 || depth > maxDepth) return null;
    if ('const' in schema) return schema.const;
    if ('default' in schema) return schema.default;
    if (schema.enum) return schema.enum[0];
    if (schema.$ref) return fill(referenced(root, schema.$ref), depth + 1);

    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    return choices ? fill(choices[0], depth + 1) : fillByType(schema, depth);
  }

  function fillByType(schema: JsonSchema, depth: number): unknown {
    switch (typeOf(schema)) {
      case 'object':
        return fillObject(schema, depth);
      case 'array':
        return fillArray(schema, depth);
      case 'string':
        return fillString(schema);
      case 'number':
      case 'integer':
        return zeroWithin(schema);
      case 'boolean':
        return false;
      default:
        return null;
    }
  }

  function fillObject({ properties = {}, required }: JsonSchema, depth: number) {
    const names = (required ?? Object.keys(properties)).slice(0, maxValues);
    return Object.fromEntries(
      names.map((name) => [name, fillNamed(name, properties[name], depth)]),
    );
  }

  function fillNamed(name: string, schema: JsonSchema | undefined, depth: number): unknown {
    const isStrings = typeOf(schema ?? {}) === 'array' && typeOf(schema?.items ?? {}) === 'string';
    if (name === 'queries' && isStrings) return extracts.queriesOf(question);
    const { value, quote: proof, page } = schema?.properties ?? {};
    if (value && proof && page) return extracts.valueOf(name, value);
    if (typeOf(schema ?? {}) === 'string') {
      if (name === 'quote' || name === 'claim') return quote;
      if (name === 'question' || name === 'brief') return question;
    }
    return fill(schema, depth + 1);
  }

  function fillArray({ minItems, items = {} }: JsonSchema, depth: number): unknown[] {
    const { page, quote: line, ...columns } = items.properties ?? {};
    if (page && line) {
      const rows = extracts.rowsOf(columns);
      return rows.map(({ cells, ...where }) => ({ ...where, ...cells }));
    }
    if (items.properties?.['quote']) {
      return extracts.quotes.map((each) => {
        quote = each;
        return fill(items, depth);
      });
    }
    if (items.properties?.['question']) {
      return extracts.questions.map((each) => {
        question = each;
        return fill(items, depth);
      });
    }
    const length = Math.min(minItems ?? (isAnswered ? 0 : 1), maxItems);
    return Array.from({ length }, () => fill(items, depth + 1));
  }

  function fillString({ format, maxLength }: JsonSchema): string {
    const formatted = format && formatExamples.get(format);
    if (formatted) return formatted;
    const text = isAnswered ? noValue : answer;
    isAnswered = true;
    return text.slice(0, maxLength);
  }
}

function typeOf({ type, properties }: JsonSchema): string {
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  return type ?? (properties ? 'object' : 'string');
}

function zeroWithin({ exclusiveMinimum, minimum, maximum = 0 }: JsonSchema): number {
  const lowest = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1);
  return lowest > 0 ? lowest : Math.min(0, maximum);
}

function referenced(root: JsonSchema, pointer: string): JsonSchema | undefined {
  const [hash, group, name = ''] = pointer.split('/');
  if (hash !== '#') return undefined;
  if (group === '$defs') return root.$defs?.[name];
  if (group === 'definitions') return root.definitions?.[name];
  return group ? undefined : root;
}
