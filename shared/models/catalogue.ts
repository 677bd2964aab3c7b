import * as v from 'valibot';
import catalogueJson from './catalogue.json' with { type: 'json' };

const Price = v.pipe(v.number(), v.minValue(0));
const Tokens = v.pipe(v.number(), v.integer(), v.minValue(1));
const Name = v.pipe(v.string(), v.nonEmpty());

const Model = v.strictObject({
  id: Name,
  upstreams: v.pipe(v.array(v.strictObject({ upstream: Name, model: Name })), v.minLength(1)),
  contextWindow: Tokens,
  maxOutputTokens: Tokens,
  vision: v.boolean(),
  usdPerMillionTokens: v.strictObject({
    input: Price,
    cachedInput: v.optional(Price),
    output: Price,
  }),
});

const Catalogue = v.pipe(
  v.strictObject({
    defaults: v.strictObject({ chat: Name }),
    upstreams: v.record(
      Name,
      v.strictObject({ baseUrl: v.pipe(v.string(), v.url()), secret: Name }),
    ),
    models: v.array(Model),
  }),
  v.check(
    ({ models, upstreams }) =>
      models.every((model) => model.upstreams.every(({ upstream }) => upstream in upstreams)),
    'a model names an upstream that is not listed under upstreams',
  ),
  v.check(
    ({ models, defaults }) => models.some(({ id }) => id === defaults.chat),
    'defaults.chat is not the id of a listed model',
  ),
);

export type Model = v.InferOutput<typeof Model>;
export type Catalogue = v.InferOutput<typeof Catalogue>;

/** The models this deployment serves; a faulty catalogue stops synth, and every function, at once. */
export const catalogue = v.parse(Catalogue, catalogueJson);

/** Finds a model by the id callers use. */
export function findModel(id: string): Model | undefined {
  return catalogue.models.find((model) => model.id === id);
}
