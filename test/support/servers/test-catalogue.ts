import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kinds of models, and how many of each a slot has. */
export const kinds = {
  /** One upstream. */
  plain: 50,
  /** One upstream; the `dear` model of the same number is its fallback. */
  routed: 12,
  /** Costs three times as much. */
  dear: 12,
  /** Two upstreams, of the weights 3 and 1. */
  weighted: 2,
  /** One upstream that is given little time to begin. */
  hasty: 12,
  /** One upstream that may fall silent only for a moment. */
  restless: 4,
  /** Two upstreams. */
  twin: 12,
  /** One upstream where nothing listens. */
  unreachable: 4,
  /** Two upstreams; nothing listens at the first. */
  limping: 2,
  /** Thinks first. */
  reasoning: 6,
  /** Takes 200 tokens, makes 100. */
  small: 4,
  /** Takes a million tokens. */
  roomy: 2,
  /** Makes a million tokens. */
  wordy: 6,
  /** Can't see. */
  blind: 2,
  /** Writes to a cache. */
  caching: 2,
  /** Makes embeddings of three numbers. */
  embedding: 40,
  /** Speaks Messages, and writes to a cache. */
  claude: 40,
  /** Two upstreams; the first speaks Messages. */
  bilingual: 2,
  /** Its upstream speaks responses alone. */
  responding: 30,
  /** Two upstreams; the second speaks responses alone. */
  mixed: 4,
  /** Thinks first, and speaks responses alone. */
  pondering: 4,
};

export type ModelKind = keyof typeof kinds;

const settings: Record<string, object> = {
  hasty: { firstByteTimeoutMs: 150 },
  restless: { idleTimeoutMs: 600 },
  reasoning: { outputLimitName: 'max_completion_tokens' },
  embedding: { dialects: ['embeddings'] },
  claude: { dialects: ['messages'] },
  responding: { dialects: ['responses'] },
  pondering: { dialects: ['responses'] },
  'second mixed': { dialects: ['responses'] },
  bilingual: { dialects: ['messages'] },
  'second bilingual': { dialects: ['chat'] },
};

const contextWindows: Record<string, number> = { small: 200, roomy: 1_000_000 };
const maxOutputs: Record<string, number> = { small: 100, wordy: 1_000_000 };

export const providerKey = 'sk-the-providers-own-key';

/** What a model is called upstream. */
export const upstreamModelOf = (id: string) => `their-${id}`;

/** What a call of any of the models costs; dollars a million tokens in and out: 1 and 10. */
export const costUsd = (promptTokens: number, completionTokens: number) =>
  (promptTokens * 1_000 + completionTokens * 10_000) / 1e9;

/** A test file's own models: their ids end in its suffix, their upstreams are one stub at its port. */
export interface ModelSlot {
  suffix: string;
  port: number;
}

/**
 * Writes a catalogue with the models of some slots; those of the first have the ids that callers may guess. At the
 * closed port nothing listens.
 */
export function writeCatalogue(folder: string, slots: ModelSlot[], closedPort: number): string {
  const file = join(folder, 'catalogue.json');
  const nowhere = `http://127.0.0.1:${closedPort}`;
  const parts = slots.map((slot) => modelsOf(slot, nowhere));
  writeFileSync(
    file,
    JSON.stringify({
      defaults: { chat: 'plain-0', ocr: 'textract' },
      ocrEngines: [{ id: 'textract', features: [], usdPerPage: 0.0015 }],
      upstreams: Object.assign({}, ...parts.map(({ upstreams }) => upstreams)),
      models: [...parts.flatMap(({ models }) => models), ...parts.flatMap(slashedOf)],
      embeddingModels: parts.flatMap(({ embeddingModels }) => embeddingModels),
    }),
  );
  return file;
}

/** The id of a model of the first slot that has slashes in it. */
export const slashedId = 'maker/plain/0';

/** The same as another model, by an id with slashes. */
const slashedOf = ({ models: [plain] }: ReturnType<typeof modelsOf>, slot: number) =>
  slot === 0 && plain ? [{ ...plain, id: slashedId }] : [];

/** The names of a model's upstreams; each listens at `/<name>/v1`. */
export const upstreamNames = (id: string) =>
  /^(twin|limping|mixed|bilingual|weighted)/.test(id) ? [id, `${id}-second`] : [id];

const isOfEmbeddings = (id: string) => id.startsWith('embedding');

const upstreamsOf = (id: string) =>
  upstreamNames(id).map((upstream, at) => ({
    ...{ upstream, model: upstreamModelOf(id) },
    ...(id.startsWith('weighted') && { weight: at === 0 ? 3 : 1 }),
  }));

function modelsOf({ suffix, port }: ModelSlot, nowhere: string) {
  const ids = Object.entries(kinds).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, n) => `${kind}-${n}${suffix}`),
  );
  const upstreams = ids.flatMap(upstreamNames).map((name) => {
    const isClosed = /^(unreachable|limping)/.test(name) && !name.endsWith('-second');
    const base = isClosed ? nowhere : `http://127.0.0.1:${port}`;
    const [kind = ''] = name.split('-');
    const own = name.endsWith('-second') && settings[`second ${kind}`];
    return [name, { baseUrl: `${base}/${name}/v1`, secret: 'openai', ...settings[kind], ...own }];
  });
  return {
    upstreams: Object.fromEntries(upstreams),
    embeddingModels: ids
      .filter(isOfEmbeddings)
      .map((id) => ({
        ...{ id, upstreams: upstreamsOf(id), maxInputTokens: 100, dimensions: 3, canShorten: true },
        usdPerMillionTokens: 1,
      })),
    models: ids
      .filter((id) => !isOfEmbeddings(id))
      .map((id) => ({
        id,
        upstreams: upstreamsOf(id),
        contextWindow: contextWindows[id.split('-')[0] ?? ''] ?? 100_000,
        maxOutputTokens: maxOutputs[id.split('-')[0] ?? ''] ?? 1_000,
        ...(id.startsWith('routed') && { fallbacks: [id.replace('routed', 'dear')] }),
        ...(!id.startsWith('blind') && { maxImageTokens: 500 }),
        ...(/^(reasoning|claude|pondering)/.test(id) && { reasoning: true }),
        usdPerMillionTokens: {
          ...(id.startsWith('dear')
            ? { input: 3, output: 30 }
            : { input: 1, cachedInput: 0.5, output: 10 }),
          ...(/^(caching|claude)/.test(id) && { cacheWrite: 1.25, cacheWrite1h: 2 }),
          ...(id.startsWith('claude') && { cachedInput: 0.1 }),
        },
      })),
  };
}
