import fc from 'fast-check';
import { bodyOf, type Schema, type ServedDocument } from './served-document.ts';

/** Values to draw from, by the name of the property or parameter that they belong to. */
export type Pool = Map<string, unknown[]>;

const characters = fc.oneof(
  { arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), weight: 20 },
  { arbitrary: fc.constantFrom('\ud83d', '\u0000', '"', '\\', '\u2028', '𐀀', 'é'), weight: 1 },
);

/** Makes values that fit a schema of the document. */
export class SchemaValues {
  private readonly served: ServedDocument;
  private readonly pool: Pool;

  constructor(served: ServedDocument, pool: Pool) {
    this.served = served;
    this.pool = pool;
  }

  of(schema: Schema, name = ''): fc.Arbitrary<unknown> {
    const { anyOf, oneOf, ...own } = this.served.resolve(schema);
    if (own.type === 'object') return this.object(own, anyOf);
    const options = anyOf ?? oneOf;
    if (options) return fc.oneof(...options.map((option: Schema) => this.of(option, name)));
    if ('const' in own) return fc.constant(own.const);
    if (own.enum) return fc.constantFrom(...own.enum);
    const types = [own.type ?? ['string', 'object']].flat();
    return fc.oneof(...types.map((type) => this.ofType(type, own, name)));
  }

  private ofType(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
    const { minimum = -1e6, maximum = 1e6 } = schema;
    if (type === 'string') return this.string(schema, name);
    if (type === 'integer') return fc.integer({ min: minimum, max: maximum });
    if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true });
    if (type === 'boolean') return fc.boolean();
    if (type === 'array') return this.array(schema);
    return type === 'object' ? this.object(schema) : fc.constant(null);
  }

  private string({ pattern, not, ...bounds }: Schema, name: string): fc.Arbitrary<string> {
    const { minLength = 0, maxLength = minLength + 20 } = bounds;
    const known = (this.pool.get(name) ?? []).filter((value) => typeof value === 'string');
    const made = pattern
      ? fc.stringMatching(new RegExp(pattern)).filter((text) => text.length >= minLength)
      : fc.oneof(
          {
            arbitrary: fc.string({
              unit: characters,
              minLength,
              maxLength: Math.min(maxLength, minLength + 20),
            }),
            weight: 12,
          },
          { arbitrary: fc.constant('é'.repeat(maxLength)), weight: 1 },
        );
    const allowed = made.filter((text) => !not?.enum?.includes(text));
    return known.length > 0 ? fc.oneof(fc.constantFrom(...known), allowed) : allowed;
  }

  private array({ items, minItems = 0 }: Schema): fc.Arbitrary<unknown[]> {
    return fc.array(this.of(items), { minLength: minItems, maxLength: minItems + 2 });
  }

  /** `anyOf` beside an object's properties says which of several keys it needs. */
  private object(schema: Schema, anyOf: Schema[] = [{}]): fc.Arbitrary<object> {
    const { properties = {}, required = [], additionalProperties } = schema;
    return fc.oneof(
      ...anyOf.map((needs) => {
        const keys: string[] = [...required, ...(needs.required ?? [])];
        const values = Object.fromEntries(
          [...new Set([...Object.keys(properties), ...keys])].map((key) => [
            key,
            properties[key] ? this.of(properties[key], key) : fc.constantFrom('said', {}, true),
          ]),
        );
        const extra = additionalProperties
          ? fc.dictionary(fc.stringMatching(/^x_[a-z]{1,5}$/), this.ofExtra(additionalProperties), {
              maxKeys: 1,
            })
          : fc.constant({});
        return fc
          .tuple(fc.record(values, { requiredKeys: keys }), extra)
          .map((parts) => Object.assign({}, ...parts));
      }),
    );
  }

  /** What a key that isn't named may have: anything, or what the schema of such keys says. */
  private ofExtra(schema: Schema | true): fc.Arbitrary<unknown> {
    return schema === true ? fc.jsonValue({ maxDepth: 1 }) : this.of(schema);
  }
}

/** What the document's examples give to each property and parameter, by name. */
export function exampleValues({ operations }: ServedDocument): Pool {
  const pool: Pool = new Map();
  const add = (name: string, value: unknown) => pool.set(name, [...(pool.get(name) ?? []), value]);
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, each] of Object.entries(value)) {
      add(name, each);
      collect(each);
    }
  };
  for (const operation of operations) {
    const { parameters = [] } = operation;
    for (const { name, example } of parameters) if (example !== undefined) add(name, example);
    for (const { value } of Object.values(bodyOf(operation)?.examples ?? {})) collect(value);
  }
  return pool;
}
