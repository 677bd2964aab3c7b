import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import type { CountingStage } from './counting-stage.ts';
import { pdfOf } from './documents.ts';
import { type Work, workBetween } from './work.ts';

/** What the stage was counted to do for one of each kind of work, and what of the rest of a bill it shows. */
export interface Counted {
  completion: Work;
  /** Of a key that makes no other meanwhile, so that none shares what is done for several. */
  alone: Work;
  /** Streamed, in as many pieces as a model writes in 3 and in 30 seconds. */
  streamed3: Work;
  streamed30: Work;
  /** A chat job of 2 KB whose model takes 5 seconds, and one of 100 KB that takes 60. */
  job2Kb5s: Work;
  job100Kb60s: Work;
  /** What a job takes its worker, from its claim to its end. */
  jobMs: { job2Kb5s: number; job100Kb60s: number };
  /** A page of a document that Textract reads. */
  ocrPage: Work;
  /** What such a page takes its worker without the wait for Textract. */
  ocrPageMs: number;
  textPage: Work;
  /** One run of each schedule, with nothing to do. */
  sweep: Work;
  resetOcrWindows: Work;
  /** How many metrics of our own have figures after all that, and how many of a service at rest. */
  metrics: { busy: number; idle: number };
}

/** How many pieces a model writes in a second. */
const piecesPerSecond = 60;

/** How many calls or jobs of a kind are made, and pages read. */
const counts = { calls: 20, alone: 4, jobs: 10, pages: 10, scans: 4 };

/** Runs each kind of work on a stage, and returns what one of each does. `say` hears of each step. */
export async function countAll(
  stage: CountingStage,
  apiKey: string,
  say: (step: string) => void,
): Promise<Counted> {
  const caller = callerOf(stage.baseUrl, apiKey);
  const during = (count: number, work: () => Promise<unknown>) => workDuring(stage, count, work);
  const completions = (pieces: number, stream: boolean) =>
    during(counts.calls, () => repeat(counts.calls, () => caller.complete(`${pieces} 0`, stream)));

  say('the schedules, at rest');
  const invoke = (name: string) =>
    stage.functions.all.find(({ config }) => config.name === name)?.invoke({});
  const scheduled = async (name: string) => {
    await invoke(name);
    const before = await stage.whenStill();
    await invoke(name);
    const { [name]: work } = workBetween(before, await stage.whenStill(), 1);
    return work ? { [name]: work } : {};
  };
  const sweep = await scheduled('sweep');
  const resetOcrWindows = await scheduled('reset-ocr-windows');
  const idleMetrics = stage.metrics.size;

  say('completions');
  await repeat(5, () => caller.complete('1 0', false));
  await repeat(5, () => caller.complete('20 0', true));
  const completion = await completions(1, false);
  const alone = await during(counts.alone, () =>
    repeat(counts.alone, async () => {
      await caller.complete('1 0', false);
      // The roll-up gathers charges for a second.
      await pause(3_000);
      await stage.whenStill();
    }),
  );
  const streamed3 = await completions(3 * piecesPerSecond, true);
  const streamed30 = await completions(30 * piecesPerSecond, true);

  say('chat jobs of 5 seconds');
  await caller.runJobs(2, chatJob(100, 0));
  const jobMs = { job2Kb5s: 0, job100Kb60s: 0 };
  const job2Kb5s = await during(counts.jobs, async () => {
    jobMs.job2Kb5s = await caller.runJobs(counts.jobs, chatJob(2_000, 5));
  });
  say('chat jobs of 60 seconds');
  const job100Kb60s = await during(counts.jobs, async () => {
    jobMs.job100Kb60s = await caller.runJobs(counts.jobs, chatJob(95_000, 60));
  });

  say('pages with text');
  await caller.runJobs(1, documentJob(await pdfOf(1, 'text')));
  const textPage = await during(counts.pages, async () =>
    caller.runJobs(1, documentJob(await pdfOf(counts.pages, 'text'))),
  );
  say('scanned pages');
  const scans = documentJob(await pdfOf(counts.scans, 'scan'));
  const ocrPage = await during(counts.scans, () => caller.runJobs(1, scans));
  say('scanned pages that Textract answers at once');
  // The time that it takes to draw a page doesn't depend on the answer.
  const refused = {
    action: 'textract:*',
    resource: '*',
    code: 'BadDocumentException',
    statusCode: 400,
  };
  writeFileSync(stage.faultsFile, JSON.stringify([refused]));
  const drawn = await during(counts.scans, () =>
    caller.runJobs(1, { ...scans, fresh: true }, 'failed'),
  );
  rmSync(stage.faultsFile);

  const metrics = { busy: stage.metrics.size, idle: idleMetrics };
  const ocrPageMs = drawn['run-ocr-job']?.durationMs ?? 0;
  return {
    ...{ completion, alone, streamed3, streamed30, job2Kb5s, job100Kb60s, jobMs },
    ...{ ocrPage, ocrPageMs, textPage, sweep, resetOcrWindows, metrics },
  };
}

/** Does work, and returns what the functions did meanwhile for one of `count`; polling by the caller is left out. */
async function workDuring(
  stage: CountingStage,
  count: number,
  work: () => Promise<unknown>,
): Promise<Work> {
  const before = await stage.whenStill();
  await work();
  const done = workBetween(before, await stage.whenStill(), count);
  const notPart = ['sweep', 'reset-ocr-windows', 'get-job'];
  return Object.fromEntries(Object.entries(done).filter(([name]) => !notPart.includes(name)));
}

/** A chat job with so long a prompt, whose model takes so long. */
const chatJob = (bytes: number, seconds: number) => ({
  job_type: 'chat',
  model: 'gpt-4o',
  inline: { messages: [{ role: 'user', content: `1 ${seconds * 1000} `.padEnd(bytes, 'lamp ') }] },
});

const documentJob = (pdf: Buffer) => ({
  job_type: 'ocr',
  inline: {
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'file',
            file: {
              filename: 'pages.pdf',
              file_data: `data:application/pdf;base64,${pdf.toString('base64')}`,
            },
          },
        ],
      },
    ],
  },
});

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await work();
}

/** Makes what calls a stage with a key. */
function callerOf(baseUrl: string, apiKey: string) {
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} is answered with ${response.status}: ${text}`);
    return text;
  };
  const submit = async (job: object) => JSON.parse(await call('/batch/jobs', job)) as JobRecord;
  const ended = async ({ id }: JobRecord): Promise<JobRecord> => {
    for (;;) {
      const job = JSON.parse(await call(`/batch/jobs/${id}`)) as JobRecord;
      if (job.completed_at) return job;
      await pause(500);
    }
  };
  return {
    complete: (content: string, stream: boolean) =>
      call('/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content }],
        max_tokens: 100,
        stream,
      }),

    /** Runs a job so many times at once. Returns the ms that the middle one took. */
    async runJobs(count: number, job: object, end = 'done'): Promise<number> {
      const submitted = await Promise.all(Array.from({ length: count }, () => submit(job)));
      const took = (await Promise.all(submitted.map(ended))).map(
        ({ status, error, started_at, completed_at }) => {
          if (status !== end) throw new Error(`A job is ${status}: ${error}`);
          return Date.parse(completed_at ?? '') - Date.parse(started_at ?? '');
        },
      );
      return took.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
    },
  };
}
