import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { evaluate } from '../../lib/cli/evaluate/evaluate.ts';
import { describeReport } from '../../lib/cli/evaluate/evaluation-text.ts';
import { readExpected } from '../../lib/cli/evaluate/expected.ts';
import { expectedFile } from '../support/extract-set/extract-set.ts';
import { scriptedModel } from '../support/extract-set/scripted-model.ts';
import { statement } from '../support/extract-set/statement.ts';
import type { SetDocument } from '../support/extract-set/truth.ts';
import type { ModelRequestBody } from '../support/servers/model-stub-body.ts';
import { startTestStage } from '../support/servers/stage.ts';

// Measures what the extraction of a long table takes: time, calls, and the most memory that the stage's process and those
// that read documents have had, each size on a stage of its own. The model answers at once.
// node test/bench/extraction.ts [PAGES]…

const sizes = process.argv.slice(2).map(Number);
for (const pages of sizes.length > 0 ? sizes : [1, 30, 100, 300]) await measure(pages);
process.exit();

async function measure(pages: number): Promise<void> {
  const document = await statement(pages);
  const model = await startModel([document]);
  const folder = mkdtempSync(join(tmpdir(), 'quire-extraction-'));
  writeFileSync(join(folder, document.file), document.bytes);
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(expectedFile([document])));
  const stage = await startTestStage({
    memory: true,
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'bench' },
  });
  const startMb = peakMbOf(stage.process.pid);
  const peaks = watchChildren(stage.process.pid);
  const report = await evaluate(
    { url: stage.base_url, key: stage.api_key },
    folder,
    await readExpected(folder),
    { requireEvidence: false, besidePipeline: false },
    () => {},
  );
  const peakMb = peakMbOf(stage.process.pid);
  const [{ seconds, windows, score } = raise()] = report.documents;
  console.log(
    `${pages} pages, ${score.rows.returned} rows: ${seconds.toFixed(1)} s, ${model.calls()} calls (${windows?.repairs ?? 0} repairs), ${peakMb.toFixed(0)} MB (${startMb.toFixed(0)} before), readers ${peaks.end().toFixed(0)} MB`,
  );
  if (score.rows.missing + score.rows.doubled > 0) console.log(describeReport(report));
  await stage.close();
  model.close();
  rmSync(folder, { recursive: true });
}

function raise(): never {
  throw new Error('there is no document');
}

/** Starts a server that answers as the scripted model does. */
async function startModel(documents: SetDocument[]) {
  const answer = scriptedModel(documents);
  let calls = 0;
  const server = createServer(async (request, response) => {
    calls += 1;
    const body = (await json(request)) as ModelRequestBody;
    const type = body.stream ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type }).end(answer(body).pieces.join(''));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls: () => calls,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The most memory that a process has had. */
function peakMbOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(status.match(/VmHWM:\s+(\d+)/)?.[1] ?? 0) / 1e3;
  } catch {
    return 0;
  }
}

/** Looks at the processes of a process again and again: the largest peak is that of one that reads documents. */
function watchChildren(pid: number | undefined) {
  let peakMb = 0;
  const look = () => {
    for (const child of childrenOf(pid)) peakMb = Math.max(peakMb, peakMbOf(child));
  };
  const timer = setInterval(look, 50);
  return {
    end: () => {
      clearInterval(timer);
      return peakMb;
    },
  };
}

function childrenOf(pid: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        const fields = readFileSync(`/proc/${each}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
        return Number(fields[1]) === pid && !isEngine(each);
      } catch {
        return false;
      }
    });
}

const isEngine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dynoxide');
