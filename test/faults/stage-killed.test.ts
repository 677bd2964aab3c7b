import { expect, it } from 'vitest';
import { cases, isExhaustive } from '../support/run/cases.ts';
import { call, chatJob, chatResultOf, submit, until } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';
import { untilGone } from '../support/servers/processes.ts';
import type { TestStage } from '../support/servers/stage.ts';
import { lapseLeases } from './lapse.ts';

const stub = await useModelStub();
const stages = useOwnStages();

const started = (dataDir: string) =>
  stages.start({ dataDir, env: { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: stub.url } });

const hang = { kind: 'hang' } as const;

/** Stops a stage as its user would; answers its exit code and how long it took. */
async function stopped(target: TestStage, signal: NodeJS.Signals) {
  const start = Date.now();
  await target.kill(signal);
  return { exitCode: target.process.exitCode, tookMs: Date.now() - start };
}

it('finishes a job whose stage was killed in the midst of its call; killed twice, once it is tried again', async () => {
  const dataDir = stages.newDataDir();
  stub.respond(isExhaustive ? [hang, { ...hang, at: 'midway' }] : [{ ...hang, at: 'midway' }]);
  const first = await started(dataDir);
  let { id } = await submit(first, chatJob('survive'));
  await stub.nextRequest();

  await first.kill('SIGKILL');
  await lapseLeases(dataDir);
  let last = await started(dataDir);
  if (isExhaustive) {
    await stub.nextRequest();
    await last.kill('SIGKILL');
    await lapseLeases(dataDir);
    last = await started(dataDir);
    // Of the first loss another job may be guilty; in the second it ran alone.
    expect(await until(last, id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^worker_lost_twice: /),
    });
    ({ id } = (await call<{ id: string }>(last, 'POST', `/batch/jobs/${id}/retry`)).body);
  }
  const job = await until(last, id);

  expect(job).toMatchObject({ status: 'done', error: null });
  expect(chatResultOf(job)?.content).toBe('echo: survive');
  expect(stub.requests).toHaveLength(cases(2, 3));
});

it('loses none of 30 jobs, and runs none twice, when it is restarted in their midst', {
  tags: 'exhaustive',
}, async () => {
  const dataDir = stages.newDataDir();
  const contents = Array.from({ length: 30 }, (_, index) => `job ${index}`);
  let everyThirdHangs = true;
  stub.respond(({ messages }) => {
    const content = String(messages[0]?.content);
    const hangs = everyThirdHangs && contents.indexOf(content) % 3 === 0;
    return hangs ? { kind: 'hang' } : { kind: 'answer', content: `${content} done`, delayMs: 100 };
  });
  const callsBefore = stub.requests.length;
  const first = await started(dataDir);
  const submissions = contents.map((content) => submit(first, chatJob(content)));
  await stub.requestCount(callsBefore + 10);
  const jobs = await Promise.all(submissions);

  const firstStop = await stopped(first, 'SIGTERM');
  everyThirdHangs = false;
  await lapseLeases(dataDir);
  const second = await started(dataDir);
  const ended = await Promise.all(jobs.map(({ id }) => until(second, id)));
  const secondStop = await stopped(second, 'SIGINT');

  const callsOf = (content: string) =>
    stub.requests.filter(({ body }) => body.messages[0]?.content === content).length;
  for (const [index, job] of ended.entries()) {
    const { status, retry_count } = job;
    const content = contents[index] ?? '';
    // Nobody knows over which job a worker was lost, so none has paid a retry.
    expect({ status, retry_count, answer: chatResultOf(job)?.content }).toEqual({
      status: 'done',
      retry_count: 0,
      answer: `${content} done`,
    });
  }
  const calls = contents.map(callsOf);
  expect(Math.max(...calls), 'once more for those that were lost').toBe(2);
  expect([firstStop.exitCode, secondStop.exitCode]).toEqual([0, 130]);
  expect(Math.max(firstStop.tookMs, secondStop.tookMs)).toBeLessThan(5_000);
  await untilGone(dataDir);
});
