import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { synthesize } from '../../lib/local/template/synthesize.ts';
import { fewerWorkers, workersPart } from '../../lib/stack/settings/workers-part.ts';
import { greyJpeg } from '../support/fixtures/small-documents.ts';
import { call, chatJob, until } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';

const concurrency = 10;
const usual = { concurrency, chatWorkers: 20, ocrWorkers: 10, folderWorkers: 2 };
const workers = fewerWorkers(workersPart(false), usual);
const context = Object.fromEntries(
  Object.entries({ concurrency, ...workers }).map(([name, value]) => [`quire:${name}`, value]),
);
const outDir = mkdtempSync(join(tmpdir(), 'quire-ten-'));
afterAll(() => rmSync(outDir, { recursive: true, force: true }));
await synthesize(outDir, { context });
const model = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: {
    QUIRE_ASSEMBLY: outDir,
    QUIRE_CONCURRENCY: String(concurrency),
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'a key',
  },
});

const complete = (content: string) =>
  call(stage, 'POST', '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content }],
  });

/** Asks as clients do: again after a 503. Returns the status, and how often it asked. */
async function persistently<Answer>(ask: () => Promise<Answer & { status: number }>) {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 503 || tries === 4) return { ...answer, tries };
    await setTimeout(1000);
  }
}

it('answers chats while the workers of each kind have a backlog, and works that off', async () => {
  const isSlow = (body: object) => JSON.stringify(body).includes('backlog');
  model.respond((body) => ({ kind: 'answer', content: 'ok', delayMs: isSlow(body) ? 3_000 : 0 }));
  const url = `data:image/jpeg;base64,${Buffer.from(await greyJpeg(200)).toString('base64')}`;
  const image = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] };
  const jobs = [
    ...Array.from({ length: 150 }, (_, index) => chatJob(`backlog ${index}`)),
    ...Array.from({ length: 6 }, () => ({ job_type: 'ocr', inline: { messages: [image] } })),
    { job_type: 'auto', drive: { folder_id: 'local-drive' } },
  ];
  const ids: string[] = [];
  for (const job of jobs) {
    const { body } = await persistently(() =>
      call<{ id: string }>(stage, 'POST', '/batch/jobs', job),
    );
    ids.push(body.id);
  }

  const answers = [];
  for (let chat = 0; chat < 10; chat += 1) answers.push(await persistently(() => complete('hi')));
  const { body } = await persistently(() =>
    call<{ jobs: { status: string }[] }>(stage, 'GET', '/batch/jobs?status=queued'),
  );
  const ended = [];
  for (const id of ids) ended.push(await until(stage, id, isEnded));

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(body.jobs.length).toBeGreaterThan(0);
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['done']));
});

/** A read may be refused too. */
const isEnded = ({ status }: { status?: string }) =>
  ['done', 'failed', 'cancelled'].includes(status ?? '');

it('answers calls beyond ten with a 503 that may be tried again', async () => {
  model.respond({ kind: 'answer', content: 'ok', delayMs: 2_000 });

  const answers = await Promise.all(Array.from({ length: 14 }, () => complete('hi')));

  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(4);
  expect(refused[0]?.headers.get('retry-after')).toBeTruthy();
});
