import './catalogue-faults.ts';

import { resolve } from 'node:path';
import type { ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { runProgram } from '../lib/cli/run.ts';
import { credentials } from '../lib/local/engines/client-config.ts';
import { gatherLines } from '../lib/local/gather-lines.ts';
import { keepCompiled } from '../lib/local/keep-compiled.ts';
import { Narrator } from '../lib/local/narrator.ts';
import type { Stage } from '../lib/local/stage/stage.ts';
import { startStage } from '../lib/local/stage/start-stage.ts';
import { welcome } from '../lib/local/stage/welcome.ts';
import { StageError } from '../lib/local/stage-error.ts';
import { writeStageFile } from '../lib/local/stage-file.ts';
import { urlFrom } from '../lib/local/url-from.ts';
import { type OwnModels, withOwnModels } from '../shared/models/own-models.ts';

const help = `Runs the whole service on this machine.

  npm start -- [options]
  npm run dev -- [options]      the same, started again whenever a source file changes; data stay

  --port N     listen on port N; 0 picks a free one (default 8080)
  --data DIR   keep everything in DIR (default .local)
  --model M    offer this model instead of the catalogue's; may be given several times, the first
               is the default. OPENAI_BASE_URL serves it. A price in dollars for a million tokens
               in and out stands behind it (llama3.2=0.10,0.40), or in --price
  --embedding-model M
               offer this model for embeddings; its price is one of tokens in (nomic-embed-text=0.02)
  --price I,O  the price of each model without one; on this machine it is 0 unless given
  --day-ceiling-usd N
               refuse what all keys together would spend beyond N dollars in a day of UTC
  --memory     keep nothing: forget all at the end
  --help       show this

Models: OPENAI_API_KEY, and OPENAI_BASE_URL for any OpenAI-compatible provider, are used
where they are set; without them answers come from the built-in offline model.

Web: SEARXNG_URL, BRAVE_API_KEY or TAVILY_API_KEY, the first that is set, names what searches
it; without them the pages in DIR/web are the whole web.
`;

/** A stage that takes longer to close is cut off. */
const closeTimeoutMs = 4_500;

const parentPid = process.ppid;
const loadFirstKey = () => import('./first-key.ts');
const loadCatalogue = () => import('../shared/models/catalogue.ts');

const options = {
  port: { type: 'string', default: '8080' },
  data: { type: 'string', default: '.local' },
  model: { type: 'string', multiple: true, default: [] },
  'embedding-model': { type: 'string', multiple: true, default: [] },
  price: { type: 'string' },
  'day-ceiling-usd': { type: 'string' },
  memory: { type: 'boolean', default: false },
} satisfies ParseArgsOptionsConfig;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

await runProgram({ call: 'npm start', help, options }, async ({ values }) =>
  run(await readOptions(values)),
);
// What was started for a stage that can't run goes on.
if (process.exitCode) process.exit();

interface Options {
  port: number;
  dataDir: string;
  memory: boolean;
  models: OwnModels;
  context: Record<string, unknown>;
}

async function readOptions(values: Values): Promise<Options> {
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new StageError(`--port takes a number from 0 to 65535, not ${values.port}.`);
  }
  const modelsUrl = urlFrom('OPENAI_BASE_URL');
  return {
    port,
    dataDir: resolve(values.data),
    memory: values.memory,
    models: await readModels(values, modelsUrl),
    context: ceilingContext(values['day-ceiling-usd']),
  };
}

/** Returns the setting of a ceiling: the synthesis refuses one that is no amount. */
function ceilingContext(usd: string | undefined): Record<string, unknown> {
  if (usd === undefined) return {};
  refuseAssembly('--day-ceiling-usd');
  return { 'quire:dayCeilingUsd': usd };
}

function refuseAssembly(option: string): void {
  if (!process.env['QUIRE_ASSEMBLY']) return;
  throw new StageError(`${option} synthesizes the stack anew, so it takes no QUIRE_ASSEMBLY.`);
}

/** Reads `--model`, `--embedding-model` and `--price`, and refuses a model without a price. */
async function readModels(
  { model, price, ...given }: Values,
  url: string | undefined,
): Promise<OwnModels> {
  const embedding = given['embedding-model'];
  if (model.length + embedding.length === 0) return { models: [] };
  refuseAssembly('--model');
  const priced = (texts: string[], default_: string | undefined) =>
    texts.map((text) => (default_ && !text.includes('=') ? `${text}=${default_}` : text));
  const embeddingModels = priced(embedding, price?.split(',')[0]);
  const own = { models: priced(model, price), embeddingModels, url };
  const { catalogue } = await loadCatalogue();
  try {
    withOwnModels(catalogue, own);
  } catch (cause) {
    throw new StageError((cause as Error).message, { cause });
  }
  return own;
}

async function run(options: Options): Promise<void> {
  gatherLines(process.stdout);
  const narrator = new Narrator(console.log);
  narrator.tell(
    'start',
    `Quire starts, with its data ${options.memory ? 'in memory' : `in ${options.dataDir}`}`,
  );
  let stage: Stage | undefined;
  let stopping = false;
  const stop = async (exitCode: number, reason: string) => {
    if (stopping) return;
    stopping = true;
    console.log(reason);
    setTimeout(() => process.exit(exitCode), closeTimeoutMs).unref();
    // Servers that are still starting end with this process.
    await stage?.close().catch(() => {});
    process.exit(exitCode);
  };
  process.on('SIGINT', () => stop(130, 'Stopping.'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0, 'Stopping.'));
  setInterval(() => {
    if (process.ppid !== parentPid) stop(0, 'The parent process is gone: stopping.');
  }, 500).unref();

  const [started, { firstKey }] = await Promise.all([
    startStage({ ...options, narrator, onDeath: (reason) => stop(1, reason) }),
    loadFirstKey(),
    // A faulty one is told of by itself, and not by the synthesis.
    loadCatalogue(),
  ]);
  stage = started;
  const apiKey = await firstKey(stage, options);
  writeStageFile(options.dataDir, {
    base_url: stage.baseUrl,
    api_url: stage.baseUrl,
    api_key: apiKey,
    dynamodb_url: stage.dynamodbUrl,
    secrets_url: stage.secretsUrl,
    drive_url: stage.driveUrl,
    secret_access_key: credentials.secretAccessKey,
    outputs: stage.outputs,
  });
  console.log(welcome(stage, apiKey, options));
  keepCompiled();
}
