import type { Catalogue, EmbeddingModel, Model } from './catalogue.ts';

/** Models that an operator names without a catalogue of their own, and where they are served. */
export interface OwnModels {
  /** Each by its id, or by its id and price, such as `llama3.2` or `llama3.2=0.10,0.40`. */
  models: readonly string[];
  /** The models for embeddings, such as `nomic-embed-text` or `nomic-embed-text=0.02`. */
  embeddingModels?: readonly string[];
  /** The base URL of an OpenAI-compatible server; without one it is the catalogue's first upstream. */
  url?: string | undefined;
}

const upstream = 'own';

/** The limits of most servers of open models. A catalogue can say others. */
const assumed = { contextWindow: 131_072, maxOutputTokens: 32_768, maxImageTokens: 2_048 };

/**
 * Puts an operator's own models in the catalogue's place, the first as the default. On this machine they cost nothing
 * without a price. Throws a sentence for a model without one.
 */
export function withOwnModels(
  catalogue: Catalogue,
  { models, embeddingModels = [], url }: OwnModels,
): Catalogue {
  if (models.length + embeddingModels.length === 0) return catalogue;
  const own = models.map((text) => modelOf(text, catalogue, url));
  const [first] = own;
  const { small: _, ...defaults } = catalogue.defaults;
  return {
    ...catalogue,
    ...(first && { defaults: { ...defaults, chat: first.id }, models: own }),
    embeddingModels: embeddingModels.map((text) => embeddingModelOf(text, catalogue, url)),
    upstreams: {
      ...catalogue.upstreams,
      ...(url && { [upstream]: { ...settings, baseUrl: url, secret: 'models' } }),
    },
  };
}

/** A model that is loaded for its first question takes its time. */
const settings = {
  dialects: ['chat' as const, 'embeddings' as const],
  firstByteTimeoutMs: 120_000,
  idleTimeoutMs: 120_000,
  allows: [],
};

function modelOf(text: string, catalogue: Catalogue, url: string | undefined): Model {
  const [, id = '', input, output] = text.match(specPattern) ?? [];
  if (!id) throw new Error(`A model is named as in llama3.2 or llama3.2=0.10,0.40, not "${text}".`);
  const known = url ? undefined : catalogue.models.find((model) => model.id === id);
  const written = input && output ? { input: Number(input), output: Number(output) } : undefined;
  const free = isOnThisMachine(url) ? { input: 0, output: 0 } : undefined;
  const usdPerMillionTokens = written ?? known?.usdPerMillionTokens ?? free;
  if (!usdPerMillionTokens) throw priceless(id, 'tokens in and out', '0.10,0.40', '0,0');
  if (known) return { ...known, usdPerMillionTokens };
  const upstreams = upstreamsOf(id, catalogue, url);
  return { id, upstreams, ...assumed, reasoning: false, usdPerMillionTokens };
}

function embeddingModelOf(text: string, catalogue: Catalogue, url?: string): EmbeddingModel {
  const [, id = '', price] = text.match(embeddingSpecPattern) ?? [];
  if (!id) {
    const example = 'nomic-embed-text or nomic-embed-text=0.02';
    throw new Error(`An embedding model is named as in ${example}, not "${text}".`);
  }
  const known = url ? undefined : catalogue.embeddingModels.find((model) => model.id === id);
  const free = isOnThisMachine(url) ? 0 : undefined;
  const usdPerMillionTokens = price ? Number(price) : (known?.usdPerMillionTokens ?? free);
  if (usdPerMillionTokens === undefined) throw priceless(id, 'tokens', '0.02', '0');
  if (known) return { ...known, usdPerMillionTokens };
  const upstreams = upstreamsOf(id, catalogue, url);
  const maxInputTokens = assumed.contextWindow;
  return { id, upstreams, maxInputTokens, canShorten: true, usdPerMillionTokens };
}

const priceless = (id: string, what: string, example: string, free: string) =>
  new Error(
    `The model ${id} has no known price: write it in dollars for a million ${what}, as in ${id}=${example} (${free} if it is free). One that runs on this machine costs nothing: say where in OPENAI_BASE_URL.`,
  );

const upstreamsOf = (id: string, { upstreams }: Catalogue, url: string | undefined) => [
  { upstream: url ? upstream : (Object.keys(upstreams)[0] ?? upstream), model: id },
];

/** An id, and its two prices if they are written. */
const specPattern = /^([^\s,=]+)(?:=(\d+(?:\.\d+)?),(\d+(?:\.\d+)?))?$/;

/** An id, and its price if that is written. */
const embeddingSpecPattern = /^([^\s,=]+)(?:=(\d+(?:\.\d+)?))?$/;

/** What runs on this machine costs nothing unless a price is written. */
function isOnThisMachine(url: string | undefined): boolean {
  const host = url ? new URL(url).hostname : '';
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}
