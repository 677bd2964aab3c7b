import type { Catalogue, Model } from './catalogue.ts';

/** Models that an operator names without a catalogue of their own, and where they are served. */
export interface OwnModels {
  /** Each by its id, or by its id and price, such as `llama3.2` or `llama3.2=0.10,0.40`. */
  models: readonly string[];
  /** The base URL of an OpenAI-compatible server; without one it is the catalogue's first upstream. */
  url?: string | undefined;
}

type Prices = Model['usdPerMillionTokens'];

const upstream = 'own';

/** What most servers of open models have. Whoever knows better writes a catalogue. */
const assumed = { contextWindow: 131_072, maxOutputTokens: 32_768, maxImageTokens: 2_048 };

/**
 * Puts an operator's own models in the catalogue's place, the first as the default. On this machine they cost nothing
 * without a price. Throws a sentence for a model without one.
 */
export function withOwnModels(catalogue: Catalogue, { models, url }: OwnModels): Catalogue {
  const [first] = models;
  if (first === undefined) return catalogue;
  const own = models.map((text) => modelOf(text, catalogue, url));
  const { small: _, ...defaults } = catalogue.defaults;
  return {
    ...catalogue,
    defaults: { ...defaults, chat: own[0]?.id ?? defaults.chat },
    models: own,
    embeddingModels: [],
    upstreams: {
      ...catalogue.upstreams,
      ...(url && { [upstream]: { ...settings, baseUrl: url, secret: 'models' } }),
    },
  };
}

/** A model that is loaded for its first question takes its time. */
const settings = {
  dialects: ['chat' as const],
  firstByteTimeoutMs: 120_000,
  idleTimeoutMs: 120_000,
  allows: [],
};

function modelOf(text: string, catalogue: Catalogue, url: string | undefined): Model {
  const [, id = '', input, output] = text.match(specPattern) ?? [];
  if (!id) throw new Error(`A model is named as in llama3.2 or llama3.2=0.10,0.40, not "${text}".`);
  const known = url ? undefined : catalogue.models.find((model) => model.id === id);
  const written = input && output ? { input: Number(input), output: Number(output) } : undefined;
  const price = written ?? known?.usdPerMillionTokens ?? freePrice(url);
  if (!price) {
    throw new Error(
      `The model ${id} has no known price: write it in dollars for a million tokens in and out, as in ${id}=0.10,0.40 (0,0 if it is free). One that runs on this machine costs nothing: say where in OPENAI_BASE_URL.`,
    );
  }
  if (known) return { ...known, usdPerMillionTokens: price };
  const name = url ? upstream : (Object.keys(catalogue.upstreams)[0] ?? upstream);
  return {
    id,
    upstreams: [{ upstream: name, model: id }],
    ...assumed,
    reasoning: false,
    usdPerMillionTokens: price,
  };
}

/** An id, and its two prices if they are written. */
const specPattern = /^([^\s,=]+)(?:=(\d+(?:\.\d+)?),(\d+(?:\.\d+)?))?$/;

/** What runs on this machine costs nothing unless a price is written. */
const freePrice = (url: string | undefined): Prices | undefined =>
  url && isLoopback(new URL(url).hostname) ? { input: 0, output: 0 } : undefined;

const isLoopback = (host: string) =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  /^127(\.\d+){3}$/.test(host) ||
  host === '[::1]';
