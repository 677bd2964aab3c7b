import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DetectDocumentTextCommand } from '@aws-sdk/client-textract';
import { startTextractServer } from '../../lib/local/textract/textract-server.ts';
import type { JobList } from '../../shared/jobs/record.ts';
import type { OcrResult } from '../../shared/jobs/result.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { minutes } from '../support/fixtures/sample-texts.ts';
import { characterErrorRate, scanOf } from '../support/fixtures/scans.ts';
import { call, submit, type Target, until } from '../support/servers/api.ts';
import { startTestStage } from '../support/servers/stage.ts';
import { textractClient } from '../support/servers/textract.ts';

// Measures pages a second through the whole service, against the OCR engine asked directly for the same pages,
// and how well they are read. node test/bench/ocr.ts [pages]

const count = Number(process.argv[2] ?? 12);
const scan = await scanOf({ text: minutes, columns: 2, noise: 5, blur: 0.9, skewDegrees: 1 });

const direct = await askEngine();
const { seconds, result, residentMb } = await askService();

const text = result.pages[0]?.text ?? '';
console.log(`${count} pages of A4 at 300 dpi, two columns, noise and skew`);
console.log(`engine alone   ${(count / direct).toFixed(2)} pages/s`);
console.log(
  `whole service  ${(count / seconds).toFixed(2)} pages/s, ${(direct / seconds).toFixed(2)} of it`,
);
console.log(`character error rate ${(100 * characterErrorRate(minutes, text)).toFixed(2)} %`);
console.log(`stage ${residentMb} MB resident at its end`);
process.exit();

/** Returns the seconds that the engine takes for all pages, asked for eight at a time. */
async function askEngine(): Promise<number> {
  const engine = await startTextractServer();
  const client = textractClient(engine.url);
  const read = () => client.send(new DetectDocumentTextCommand({ Document: { Bytes: scan } }));
  await read();
  const start = performance.now();
  for (let page = 0; page < count; page += 8) {
    await Promise.all(Array.from({ length: Math.min(8, count - page) }, read));
  }
  const elapsed = (performance.now() - start) / 1000;
  await engine.close();
  return elapsed;
}

/** Warms a stage up with its samples, so that the bench's document is the only new one in the folder. */
async function askService() {
  const stage = await startTestStage({ memory: true });
  await readFolder(stage);
  writeFileSync(
    join(stage.dataDir, 'drive', 'bench.pdf'),
    await pdfOf(Array(count).fill({ scan })),
  );
  const start = performance.now();
  const folderId = await readFolder(stage);
  const elapsed = (performance.now() - start) / 1000;
  const status = readFileSync(`/proc/${stage.process.pid}/status`, 'utf8');
  const residentMb = Math.round(Number(status.match(/VmRSS:\s+(\d+)/)?.[1]) / 1024);
  const path = `/batch/jobs?parent_job_id=${folderId}`;
  const [job] = (await call<JobList>(stage, 'GET', path)).body.jobs;
  const result = (await until(stage, job?.id ?? '')).result as OcrResult;
  await stage.close();
  return { seconds: elapsed, result, residentMb };
}

async function readFolder(stage: Target): Promise<string> {
  const { id } = await submit(stage, { job_type: 'ocr', drive: { folder_id: 'local-drive' } });
  await until(stage, id);
  return id;
}
