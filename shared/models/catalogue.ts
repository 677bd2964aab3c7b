import * as v from 'valibot';
import catalogueSource from '#catalogue';
import { Usd } from '../http/schema.ts';
import { CatalogueError } from './catalogue-error.ts';
import { type DialectName, dialectNames } from './dialect-names.ts';
import { TokenPrices } from './token-prices.ts';

const Tokens = v.pipe(v.number(), v.integer(), v.minValue(1));
const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(1));
const Name = v.pipe(v.string(), v.nonEmpty());

/** The dialects that an upstream speaks. What callers speak beside these is translated to the first. */
const Dialects = v.pipe(v.array(v.picklist(dialectNames)), v.minLength(1));

/** Where lines of a batch are asked: one by one, or in a batch of their model's upstream. */
export const batchVias = ['here', 'upstream'] as const;

/** How many models may be named to answer in another's place. */
export const maxFallbacks = 8;

const ModelFields = v.strictObject({
  id: Name,
  /** Where the model is served, in order of preference. */
  upstreams: v.pipe(
    v.array(
      v.strictObject({
        upstream: Name,
        model: Name,
        /** The dialects in which it is asked there, if they aren't all that the upstream speaks. */
        dialects: v.optional(Dialects),
        /** Its part of the conversations, beside other weights. Upstreams without one are asked after those with one. */
        weight: v.optional(v.pipe(v.number(), v.gtValue(0))),
      }),
    ),
    v.minLength(1),
  ),
  /** The models that answer where none of the upstreams does, in order. */
  fallbacks: v.optional(v.pipe(v.array(Name), v.maxLength(maxFallbacks))),
  contextWindow: Tokens,
  maxOutputTokens: Tokens,
  /** More than an answer usually takes, by default 16,384: what is held if a key has little. */
  usualOutputTokens: v.optional(Tokens),
  /** The public vocabulary of its tokenizer: long prompts of a key with little left are counted, not held by their bytes. */
  vocabulary: v.optional(v.picklist(['o200k_base'])),
  /** The most tokens that one image counts as; absent for a model that takes no images. */
  maxImageTokens: v.optional(Tokens),
  /** Whether it is a reasoning model, which refuses `temperature`. */
  reasoning: v.optional(v.boolean(), false),
  /** `false` for a model that can't be held to a JSON Schema by `response_format`, and is told it in words. */
  jsonSchema: v.optional(v.literal(false)),
  /** `budget` for a Claude, up to 4.5, that is asked to think by a number of tokens, and by no effort. */
  thinking: v.optional(v.literal('budget')),
  usdPerMillionTokens: TokenPrices,
  /** A fee for each call, beside its tokens. */
  usdPerRequest: v.optional(Usd),
  /** The price in its provider's batches; half of each price without it. */
  usdPerMillionTokensInBatches: v.optional(TokenPrices),
  /** Whether batches that don't say are handed on to an upstream that takes batches, or asked here. */
  batchVia: v.optional(v.picklist(batchVias)),
  /** Prices of service tiers, such as `priority`, that callers may ask for. */
  serviceTiers: v.optional(v.record(Name, TokenPrices)),
});

const Model = v.pipe(
  ModelFields,
  v.check(
    (model) => missingInTier(model) === undefined,
    ({ input }) => `${input.id} has no price for ${missingInTier(input)}: write the whole price`,
  ),
);

/** A way to read pages with Textract: plain text without features; with them also headings, lists and tables. */
const OcrEngine = v.strictObject({
  id: Name,
  features: v.array(v.picklist(['LAYOUT', 'TABLES'])),
  usdPerPage: Usd,
});

const SearchProvider = v.strictObject({ id: Name, usdPerSearch: Usd });

const Upstream = v.pipe(
  v.strictObject({
    baseUrl: v.pipe(v.string(), v.url()),
    /** The name of the secret that holds our API key. */
    secret: v.optional(Name),
    /** In place of a secret: requests are signed for Bedrock in this region, by the function's own credentials. */
    awsRegion: v.optional(Name),
    dialects: v.optional(Dialects, ['chat']),
    /** How long a streamed response may take to begin; one that isn't streamed may take ten times as long. */
    firstByteTimeoutMs: v.optional(Milliseconds, 60_000),
    /** The longest silence in the middle of a streamed response. */
    idleTimeoutMs: v.optional(Milliseconds, 120_000),
    /** The name under which it takes the limit of an output, if `output-limit-name.ts` has another. */
    outputLimitName: v.optional(v.picklist(['max_tokens', 'max_completion_tokens'])),
    /** The protocol of the batches that it takes, at another price, if it takes any. */
    batches: v.optional(v.picklist(['openai', 'anthropic'])),
    /** Parameters that callers may send it although they may change a call's cost or its readers. */
    allows: v.optional(v.array(Name), []),
  }),
  v.check(
    ({ secret, awsRegion }) => !secret !== !awsRegion,
    'an upstream has either a secret or an awsRegion',
  ),
  v.check(
    ({ batches, awsRegion }) => !batches || !awsRegion,
    'an upstream with an awsRegion takes no batches',
  ),
);

const EmbeddingModel = v.strictObject({
  id: Name,
  upstreams: ModelFields.entries.upstreams,
  maxInputTokens: Tokens,
  /** The length of a vector; absent if it isn't known. */
  dimensions: v.optional(Tokens),
  /** Whether a caller may ask for shorter ones. */
  canShorten: v.optional(v.boolean(), false),
  /** The price of a million tokens of input. */
  usdPerMillionTokens: Usd,
  usdPerMillionTokensInBatches: v.optional(Usd),
  batchVia: v.optional(v.picklist(batchVias)),
});

const Catalogue = v.pipe(
  v.strictObject({
    /** `small` does small tasks, such as writing search queries; the chat model does unless it is given. */
    defaults: v.strictObject({ chat: Name, ocr: Name, small: v.optional(Name) }),
    upstreams: v.record(Name, Upstream),
    models: v.array(Model),
    embeddingModels: v.optional(v.array(EmbeddingModel), []),
    ocrEngines: v.array(OcrEngine),
    /** What a search costs at each provider of web search. A SearXNG of one's own is free unless it says more. */
    searchProviders: v.optional(v.array(SearchProvider), [{ id: 'searxng', usdPerSearch: 0 }]),
  }),
  v.check(
    ({ models, embeddingModels, upstreams }) =>
      [...models, ...embeddingModels].every((model) =>
        model.upstreams.every(({ upstream }) => upstream in upstreams),
      ),
    'a model names an upstream that is not listed under upstreams',
  ),
  v.check(
    ({ embeddingModels, upstreams }) =>
      embeddingModels.every((model) =>
        model.upstreams.every(({ upstream }) =>
          upstreams[upstream]?.dialects.includes('embeddings'),
        ),
      ),
    'an embedding model names an upstream whose dialects have no embeddings',
  ),
  v.check(({ models }) => {
    const ids = models.map(({ id }) => id);
    return models.every(({ id, fallbacks = [] }) =>
      fallbacks.every((each) => each !== id && ids.includes(each)),
    );
  }, 'a model names a fallback that is not another listed model'),
  v.check(
    ({ models, defaults }) => models.some(({ id }) => id === defaults.chat),
    'defaults.chat is not the id of a listed model',
  ),
  v.check(
    ({ models, ocrEngines, defaults }) =>
      ocrEngines.some(({ id }) => id === defaults.ocr) ||
      models.some(({ id, maxImageTokens }) => id === defaults.ocr && maxImageTokens !== undefined),
    'defaults.ocr is the id neither of an OCR engine nor of a model that can see',
  ),
  v.check(({ models, embeddingModels, ocrEngines }) => {
    const ids = [...models, ...embeddingModels, ...ocrEngines].map(({ id }) => id);
    return new Set(ids).size === ids.length;
  }, 'two models, or OCR engines, have the same id'),
);

/** Names a price that a service tier lacks: such tokens would be charged as plain ones. Cached tokens may lack one. */
function missingInTier(model: v.InferOutput<typeof ModelFields>): string | undefined {
  const { cachedInput: _, ...prices } = model.usdPerMillionTokens;
  for (const [tier, priced] of Object.entries(model.serviceTiers ?? {})) {
    const missing = Object.keys(prices).find((kind) => !(kind in priced));
    if (missing) return `serviceTiers.${tier}.${missing}`;
  }
  return undefined;
}

export type Upstream = v.InferOutput<typeof Upstream>;
export type Model = v.InferOutput<typeof Model>;
export type EmbeddingModel = v.InferOutput<typeof EmbeddingModel>;
export type OcrEngine = v.InferOutput<typeof OcrEngine>;
export type Catalogue = v.InferOutput<typeof Catalogue>;

/** The models that this deployment serves. A faulty catalogue throws at synthesis, and in every function. */
export const catalogue = parsed(catalogueSource);

function parsed(source: unknown): Catalogue {
  const { success, output, issues } = v.safeParse(Catalogue, source);
  if (success) return output;
  throw new CatalogueError(`The model catalogue is faulty:\n${v.summarize(issues)}`);
}

/** Finds a model by the id that callers use; undefined if there is none. */
export const findModel = (id: string): Model | undefined =>
  catalogue.models.find((model) => model.id === id);

/** Finds a model that makes embeddings; undefined if there is none. */
export const findEmbeddingModel = (id: string): EmbeddingModel | undefined =>
  catalogue.embeddingModels.find((model) => model.id === id);

/** Finds an OCR engine by the id that callers use; undefined if there is none. */
export const findOcrEngine = (id: string): OcrEngine | undefined =>
  catalogue.ocrEngines.find((engine) => engine.id === id);

/** Whether an upstream of a model is asked in a dialect. */
export const isAskedIn = ({ upstreams }: Model, dialect: DialectName): boolean =>
  upstreams.some(({ upstream, dialects = catalogue.upstreams[upstream]?.dialects }) =>
    dialects?.includes(dialect),
  );

/** Whether the catalogue lets callers send a parameter to each upstream of a model. */
export function isAllowedBy({ upstreams }: Model, name: string): boolean {
  return upstreams.every(({ upstream }) => catalogue.upstreams[upstream]?.allows.includes(name));
}

/** The first upstream of a model that takes batches, with their protocol; undefined if none does. */
export function takingBatches({ upstreams }: Pick<Model, 'upstreams'>) {
  for (const each of upstreams) {
    const protocol = catalogue.upstreams[each.upstream]?.batches;
    if (protocol) return { ...each, protocol };
  }
  return undefined;
}

/** What one search costs at a provider, in US dollars. Throws if the catalogue doesn't say. */
export function searchPriceUsd(provider: string): number {
  const found = catalogue.searchProviders.find(({ id }) => id === provider);
  if (!found) throw new Error(`The catalogue has no price for a search by ${provider}`);
  return found.usdPerSearch;
}

/** The ids that callers may name as a model: those that chat, that read pages, and that make embeddings. */
export const modelIds = [
  ...catalogue.models,
  ...catalogue.embeddingModels,
  ...catalogue.ocrEngines,
].map(({ id }) => id);
