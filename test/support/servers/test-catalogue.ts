import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooser, type ModelRequest, type Script, startModelStub } from './model-stub.ts';

/** A model of the test's own: its upstreams are no other model's, so that no fault spreads. */
export interface TestModel {
  id: string;
  upstreams: TestUpstream[];
}

export interface TestUpstream {
  requests(): ModelRequest[];
  respond(script: Script): void;
}

/** Kinds of models, and how many of each there are. */
const kinds = {
  /** One upstream. */
  plain: 40,
  /** One upstream that is given little time to begin. */
  hasty: 12,
  /** One upstream that may fall silent only for a moment. */
  restless: 4,
  /** Two upstreams. */
  twin: 8,
  /** One upstream where nothing listens. */
  unreachable: 4,
  /** Two upstreams; nothing listens at the first. */
  limping: 2,
  /** Thinks first. */
  reasoning: 6,
  /** Takes 200 tokens, makes 100. */
  small: 4,
  /** Can't see. */
  blind: 2,
};

export type ModelKind = keyof typeof kinds;

const timeouts: Record<string, object> = {
  hasty: { firstByteTimeoutMs: 150 },
  restless: { idleTimeoutMs: 600 },
};

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

export type TestCatalogue = Awaited<ReturnType<typeof startTestCatalogue>>;

/** Starts a stub, and writes a catalogue whose models' upstreams it is. */
export async function startTestCatalogue() {
  const models = await startModels({ suffix: '', port: 0 });
  const folder = mkdtempSync(join(tmpdir(), 'quire-catalogue-'));
  const file = await writeCatalogue(folder, [{ suffix: '', port: models.port }]);
  return {
    ...models,
    file,
    async close(): Promise<void> {
      await models.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes a catalogue with the models of some slots; those of the first have the ids that callers may guess. */
export async function writeCatalogue(folder: string, slots: ModelSlot[]): Promise<string> {
  const file = join(folder, 'catalogue.json');
  const nowhere = await closedOrigin();
  const parts = slots.map((slot) => modelsOf(slot, nowhere));
  writeFileSync(
    file,
    JSON.stringify({
      defaults: { chat: 'plain-0', ocr: 'textract' },
      ocrEngines: [{ id: 'textract', features: [], usdPerPage: 0.0015 }],
      upstreams: Object.assign({}, ...parts.map(({ upstreams }) => upstreams)),
      models: parts.flatMap(({ models }) => models),
    }),
  );
  return file;
}

/** Starts the stub that is all upstreams of a slot, told apart by their paths. */
export async function startModels({ suffix, port }: ModelSlot) {
  const stub = await startModelStub(port);
  const scripts = new Map<string, ReturnType<typeof chooser>>();
  stub.respond((body, n, path) => scripts.get(upstreamIn(path))?.(body, n, path));
  const handedOut = new Map<ModelKind, number>();

  const upstreamNamed = (name: string): TestUpstream => ({
    requests: () => stub.requests.filter(({ path }) => upstreamIn(path) === name),
    respond: (script) => void scripts.set(name, chooser(script)),
  });

  return {
    port: Number(new URL(stub.url).port),
    stub,

    /** A model that no other test has; it echoes until its upstreams are told otherwise. */
    newModel(kind: ModelKind = 'plain', script?: Script): TestModel {
      const n = handedOut.get(kind) ?? 0;
      if (n === kinds[kind]) throw new Error(`no ${kind} model is left: make more of them`);
      handedOut.set(kind, n + 1);
      const id = `${kind}-${n}${suffix}`;
      const upstreams = upstreamNames(id).map(upstreamNamed);
      if (script) upstreams[0]?.respond(script);
      return { id, upstreams };
    },

    close: () => stub.close(),
  };
}

/** Upstreams listen at `/<name>/v1`. */
const upstreamIn = (path: string) => path.split('/')[1] ?? '';

const upstreamNames = (id: string) => (/^(twin|limping)/.test(id) ? [id, `${id}-second`] : [id]);

function modelsOf({ suffix, port }: ModelSlot, nowhere: string) {
  const ids = Object.entries(kinds).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, n) => `${kind}-${n}${suffix}`),
  );
  const upstreams = ids.flatMap(upstreamNames).map((name) => {
    const isClosed = /^(unreachable|limping)/.test(name) && !name.endsWith('-second');
    const base = isClosed ? nowhere : `http://127.0.0.1:${port}`;
    const [kind = ''] = name.split('-');
    return [name, { baseUrl: `${base}/${name}/v1`, secret: 'openai', ...timeouts[kind] }];
  });
  return {
    upstreams: Object.fromEntries(upstreams),
    models: ids.map((id) => ({
      id,
      upstreams: upstreamNames(id).map((upstream) => ({ upstream, model: upstreamModelOf(id) })),
      contextWindow: id.startsWith('small') ? 200 : 100_000,
      maxOutputTokens: id.startsWith('small') ? 100 : 1_000,
      ...(!id.startsWith('blind') && { maxImageTokens: 500 }),
      ...(id.startsWith('reasoning') && { reasoning: true }),
      usdPerMillionTokens: { input: 1, cachedInput: 0.5, output: 10 },
    })),
  };
}

/** An origin at which nothing listens. */
async function closedOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}
