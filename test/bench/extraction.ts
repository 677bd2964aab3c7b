import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { evaluate, type Report } from '../lab/evaluate/evaluate.ts';
import { describeReport } from '../lab/evaluate/evaluation-text.ts';
import { readExpected } from '../lab/evaluate/expected.ts';
import { expectedFile, extractSet } from '../lab/extract-set/extract-set.ts';
import { scriptedModel } from '../lab/extract-set/scripted-model.ts';
import { statement } from '../lab/extract-set/statement.ts';
import type { SetDocument } from '../lab/extract-set/truth.ts';
import type { ModelRequestBody } from '../support/servers/model-stub-body.ts';
import { startTestStage } from '../support/servers/stage.ts';

// Measures what extraction takes: the costs of the set by its model's list price, beside those of a pipeline; then time, calls
// and the most memory that the stage's process has had for a statement of so many pages, each on a stage of its own. The model
// answers at once, by what is true, and its tokens are counted as OpenAI does.
// node test/bench/extraction.ts [PAGES]…

const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) {
  const { report } = await run(await extractSet(), true);
  console.log(`${describeReport(report)}\n`);
}
for (const pages of sizes.length > 0 ? sizes : [1, 30, 100, 300]) {
  const { report, calls, startMb, peakMb } = await run([await statement(pages)], false);
  const { documents, total } = report;
  const seconds = documents[0]?.seconds.toFixed(1);
  const memory = `${peakMb.toFixed(0)} MB, ${startMb.toFixed(0)} before`;
  console.log(`${pages} pages: ${total.rows.right} rows, ${seconds} s, ${calls} calls, ${memory}`);
}
process.exit();

interface Measured {
  report: Report;
  calls: number;
  startMb: number;
  peakMb: number;
}

async function run(documents: SetDocument[], besidePipeline: boolean): Promise<Measured> {
  const model = await startModel(documents);
  const folder = mkdtempSync(join(tmpdir(), 'quire-extraction-'));
  for (const { file, bytes } of documents) writeFileSync(join(folder, file), bytes);
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(expectedFile(documents)));
  const stage = await startTestStage({
    memory: true,
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'bench' },
  });
  const startMb = peakMbOf(stage.process.pid);
  const report = await evaluate(
    { url: stage.base_url, key: stage.api_key },
    folder,
    await readExpected(folder),
    { requireEvidence: false, besidePipeline },
    () => {},
  );
  const peakMb = peakMbOf(stage.process.pid);
  await stage.close();
  model.close();
  rmSync(folder, { recursive: true });
  return { report, calls: model.calls(), startMb, peakMb };
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
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(status.match(/VmHWM:\s+(\d+)/)?.[1] ?? 0) / 1e3;
}
