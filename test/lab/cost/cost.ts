import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseOptions } from '../../../lib/cli/command-line.ts';
import { sentenceOf } from '../../../lib/cli/run.ts';
import { clientEnvironment } from '../../../lib/local/engines/client-config.ts';
import { issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits } from '../../../shared/keys/key-limits.ts';
import { type CostReport, describeReport, markdownReport, workRows } from './cost-text.ts';
import { startCountingStage } from './counting-stage.ts';
import { type Counted, countAll } from './runs.ts';
import { underSettings } from './settings.ts';
import { writeTables } from './tables.ts';

const help = `Prints what the service costs by list price: a million of each kind of work, and a month at rest.

  npm run cost -- [options]

  --write      put the tables into lib/COST.md
  --json       print one JSON object; npm run --silent prints nothing else
  --help       show this

Requests to the store, invocations and log lines are counted by running a local stage, which takes about three
minutes; a machine that has nothing else to do measures best. Prices stand in test/lab/cost/prices.ts.
`;

const closers: (() => unknown)[] = [];
const closeAll = async () => {
  for (const close of closers.splice(0).reverse()) await close();
};
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    say('stopping');
    await closeAll();
    process.exit(130);
  });
}

try {
  const { values } = readOptions();
  if (values.help) process.stdout.write(help);
  else await run(values);
} catch (error) {
  if (!stopping) console.error(sentenceOf(error) ?? error);
  process.exitCode = 1;
}
if (!stopping) {
  await closeAll();
  process.exit();
}

function readOptions() {
  return parseOptions(
    {
      options: {
        write: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    },
    'npm run cost -- --help lists the options',
  );
}

async function run(options: { write: boolean; json: boolean }): Promise<void> {
  const counted = await count();
  say('the template under other settings');
  const idle = await underSettings(counted);
  const report: CostReport = { work: workRows(counted), idle, metrics: counted.metrics };
  if (options.write) writeTables(markdownReport(report));
  console.log(options.json ? JSON.stringify(report, null, 2) : describeReport(report));
}

async function count(): Promise<Counted> {
  say('starting a stage');
  const upstream = fork(new URL('../../bench/upstream.ts', import.meta.url));
  closers.push(() => upstream.connected && upstream.disconnect());
  const [port] = await once(upstream, 'message');
  const stage = await startCountingStage(`http://127.0.0.1:${port}/v1`);
  closers.push(() => stage.close());
  // The SDK would take a profile's credentials before those below.
  delete process.env['AWS_PROFILE'];
  Object.assign(process.env, clientEnvironment, {
    KEYS_TABLE: stage.outputs['KeysTable'],
    LEDGER_TABLE: stage.outputs['LedgerTable'],
  });
  const { api_key } = await issueKey('cost', defaultLimits);
  const counted = await countAll(stage, api_key, say);
  await closeAll();
  for (const name of ['AWS_ENDPOINT_URL_DYNAMODB', 'OPENAI_BASE_URL', 'OPENAI_API_KEY']) {
    delete process.env[name];
  }
  return counted;
}

/** Says on standard error what is done now: the output is the figures alone. */
function say(step: string): void {
  process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${step}\n`);
}
