import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { s3 } from '../../../shared/aws/s3.ts';
import { setting } from '../../../shared/config.ts';
import { recordFeedback } from '../../../shared/feedback/feedback.ts';
import { eraseFeedback } from '../../../shared/feedback/session-feedback.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { eraseDependents } from '../../../shared/jobs/erase/erase-dependents.ts';
import { beginErasure, type Erasure, findErasure } from '../../../shared/jobs/erase/erasure.ts';
import { sweepErasures } from '../../../shared/jobs/erase/sweep-erasures.ts';
import { runChatJob } from '../../../shared/jobs/kinds/chat-queue.ts';
import type { ChatResult } from '../../../shared/jobs/results/result.ts';
import { eraseCallersJob } from '../../../shared/jobs/routes/erase-job.ts';
import { listJobs } from '../../../shared/jobs/routes/read.ts';
import { retryCallersJob } from '../../../shared/jobs/routes/retry.ts';
import { stopCallersJob } from '../../../shared/jobs/routes/stop.ts';
import { JobSubmission } from '../../../shared/jobs/routes/submission.ts';
import { submitJob } from '../../../shared/jobs/routes/submit.ts';
import { claimBest } from '../../../shared/jobs/work/claim-jobs.ts';
import { runLeased } from '../../../shared/jobs/work/run-leased.ts';
import { imagePart, readGrey, smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { cases, some } from '../../support/run/cases.ts';
import { gate } from '../../support/servers/model-stub-pieces.ts';
import { anyRoom } from '../../support/servers/rooms.ts';
import { minuteMs, pass, useFreshHour } from '../../support/worlds/clock.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';
import { dyingBefore, requestsOf } from '../../support/worlds/dying.ts';
import { upTo } from '../../support/worlds/killed-workers.ts';
import { chargesOf } from '../../support/worlds/ledger-world.ts';
import { remnantsOf, storesOfProcess } from '../../support/worlds/remnants.ts';

let beforePage: () => Promise<void>;
const world = await useDocumentWorld(async (image) => {
  await beforePage();
  return readGrey(image);
});
const stores = storesOfProcess(setting('JOBS_TABLE').split('-').slice(0, 3).join('-'));

useFreshHour();
beforeEach(() => {
  beforePage = async () => {};
});

const erase = (caller: Caller, id: string) => eraseCallersJob(caller, id);

/** Where a word is found in any table or object. */
const remnants = (word: string) => remnantsOf(word, stores);

/** A word that nothing else has in it. */
const newWord = () => `marker${randomUUID().replaceAll('-', '')}`;

const inline = (content: string, rest: object = {}) => ({
  job_type: 'chat',
  inline: { messages: [{ role: 'user', content }] },
  ...rest,
});

async function done(caller: Caller, body: object): Promise<string> {
  const { id } = await world.submit(caller, body);
  await world.work();
  expect(await world.read(caller, id)).toMatchObject({ status: 'done', error: null });
  return id;
}

const notFound = { statusCode: 404, message: 'There is no such job.' };

describe('a deleted job', () => {
  it.each([
    ['short', 1],
    ['long', 30_000],
  ])(
    'with a %s prompt leaves neither that nor its answer, and its charge stays',
    async (_, times) => {
      const caller = await world.newCaller();
      const word = newWord();
      const id = await done(caller, inline(`${word} `.repeat(times)));
      await recordFeedback(caller, {
        ...{ session_id: id, message_id: null, rating: 'up', model: '', comment: word },
        ...{ message_content: word, user_message: word, correction: word },
      });
      const charges = await chargesOf(caller.keyId);
      const before = await remnants(word);

      const deleted = await erase(caller, id);
      await eraseFeedback(caller, id);

      expect(before.length).toBeGreaterThan(3);
      expect(deleted).toEqual({ id, deleted: true, erased: true });
      expect(await remnants(word)).toEqual([]);
      const places = (await remnants(id)).filter((place) => !place.includes(' erasure_'));
      for (const place of places) expect(place).toContain(setting('LEDGER_TABLE'));
      expect(await chargesOf(caller.keyId)).toEqual(charges);
      await expect(world.read(caller, id)).rejects.toMatchObject(notFound);
      expect(await listJobs(caller, {})).toEqual({ jobs: [], next_cursor: null });
    },
  );

  it('that read a document leaves no page, text, copy or answer of it', async () => {
    const caller = await world.newCaller();
    const word = newWord();
    const pdf = await smallPdf([{ grey: 20 }, { words: `${words(2)} ${word}` }, { grey: 210 }]);
    const drive = { file_id: await world.add(`${word}.pdf`, pdf) };
    const pipeline = { pipeline: 'ocr_then_chat', pipeline_instruction: word };
    const id = await done(caller, { job_type: 'ocr', drive, ...pipeline });
    const before = await remnants(caller.keyId);

    expect(await erase(caller, id)).toMatchObject({ erased: true });

    expect(before.some((place) => place.includes(' pages_'))).toBe(true);
    expect(before.some((place) => place.includes('/source-'))).toBe(true);
    expect(await remnants(word)).toEqual([]);
    expect(await ofJobs(caller)).toEqual([]);
  });

  it('that was read in parts leaves none of them', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    const word = newWord();
    const pages = upTo(60).map((at) =>
      at % 30 ? { words: `${words(at)} ${word}` } : { grey: 50 },
    );
    const drive = { file_id: await world.add(`${word}.pdf`, await smallPdf(pages)) };
    const id = await done(caller, { job_type: 'ocr', drive });
    const before = await ofJobs(caller);

    expect(await erase(caller, id)).toMatchObject({ erased: true });

    expect(before.some((place) => place.includes(' part_'))).toBe(true);
    expect(await remnants(word)).toEqual([]);
    expect(await ofJobs(caller)).toEqual([]);
  });

  it('about pictures in its messages leaves no page that is kept for later jobs', async () => {
    const caller = await world.newCaller();
    const messages = [{ role: 'user', content: [await imagePart(120)] }];
    const id = await done(caller, { job_type: 'ocr', inline: { messages } });
    const later = await done(caller, { job_type: 'ocr', inline: { messages } });

    await erase(caller, id);
    await erase(caller, later);

    expect(await ofJobs(caller)).toEqual([]);
  });

  it('that asked line by line leaves none of the lines', async () => {
    const caller = await world.newCaller();
    const word = newWord();
    const line = (at: number) => ({
      custom_id: `${at}`,
      body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: `${word} ${at}` }] },
    });
    const jsonl = upTo(60).map((at) => JSON.stringify(line(at)));
    const drive = { file_id: await world.add(`${word}.jsonl`, jsonl.join('\n')) };
    const id = await done(caller, { job_type: 'chat', drive });
    const before = await remnants(word);

    expect(await erase(caller, id)).toMatchObject({ erased: true });

    expect(before.length).toBeGreaterThan(60);
    expect(await remnants(word)).toEqual([]);
    expect(await ofJobs(caller)).toEqual([]);
  });

  it('that goes while it is read is not found', async () => {
    const caller = await world.newCaller();
    const id = await done(caller, inline('word '.repeat(1_000)));
    const erased = vi.fn(() => erase(caller, id));
    s3.middlewareStack.add(
      (next) => async (args) => {
        s3.middlewareStack.remove('erasing');
        await erased();
        return next(args);
      },
      { step: 'initialize', name: 'erasing' },
    );

    await expect(world.read(caller, id)).rejects.toMatchObject(notFound);
    expect(erased).toHaveBeenCalledOnce();
  });

  it('gives its idempotency key free', async () => {
    const caller = await world.newCaller();
    const submission = v.parse(JobSubmission, inline('twice'));
    const { id } = await submitJob(caller, submission, 'the key', anyRoom());
    await world.work();

    await erase(caller, id);

    const again = await submitJob(caller, submission, 'the key', anyRoom());
    expect(again.id).not.toBe(id);
    expect(again.status).toBe('queued');
  });

  it('is deleted again with the same answer, also once the sweep has looked a last time', async () => {
    const caller = await world.newCaller();
    const id = await done(caller, inline('twice'));

    const answers = [await erase(caller, id), await erase(caller, id)];
    pass(21 * minuteMs);
    await sweepErasures();
    answers.push(await erase(caller, id));

    for (const answer of answers) expect(answer).toEqual({ id, deleted: true, erased: true });
    expect(await findErasure({ key_id: caller.keyId, job_id: id })).not.toHaveProperty('due_at');
  });
});

/** What the jobs table and the bucket hold of a caller's jobs, save that they were erased. */
async function ofJobs({ keyId }: Caller): Promise<string[]> {
  const { JOBS_TABLE = '', OBJECTS_BUCKET = '' } = process.env;
  const places = await remnants(keyId);
  return places.filter(
    (place) =>
      (place.startsWith(JOBS_TABLE) || place.startsWith(OBJECTS_BUCKET)) &&
      !/ (line|running|erasure_\S+)$/.test(place),
  );
}

describe('a folder', () => {
  let folders = 0;

  async function doneFolder(word: string) {
    const caller = await world.newCaller();
    const path = `erased-${++folders}`;
    world.drive.put(`${path}/one.txt`, `${word} one`);
    world.drive.put(`${path}/two.txt`, `${word} two`);
    world.drive.put(`${path}/three.pdf`, await smallPdf([{ grey: 30 }, { words: words(1) }]));
    const drive = { folder_id: await world.idOf(path) };
    const pipeline = { pipeline: 'ocr_then_chat', pipeline_instruction: word };
    return { caller, id: await done(caller, { job_type: 'auto', drive, ...pipeline }) };
  }

  it('goes with the jobs of its files, and theirs', async () => {
    const word = newWord();
    const { caller, id } = await doneFolder(word);
    const { jobs } = await listJobs(caller, {});

    expect(await erase(caller, id)).toMatchObject({ erased: true });

    expect(jobs.length).toBeGreaterThan(3);
    expect(await remnants(word)).toEqual([]);
    expect(await ofJobs(caller)).toEqual([]);
    for (const job of jobs)
      await expect(world.read(caller, job.id)).rejects.toMatchObject(notFound);
  });

  it('that is killed at any step of its erasure is hidden as a whole, and erased by the sweep', async () => {
    const counted = await doneFolder(newWord());
    const requests = await requestsOf(() => erase(counted.caller, counted.id));

    for (const before of some(cases(3, requests), upTo(requests))) {
      const word = newWord();
      const { caller, id } = await doneFolder(word);
      const { jobs } = await listJobs(caller, {});
      await dyingBefore(before, () => erase(caller, id));
      const isBegun = await world.read(caller, id).then(
        () => false,
        () => true,
      );
      const left = (await listJobs(caller, {})).jobs.length;
      expect(left, `jobs listed after ${before} requests`).toBe(isBegun ? 0 : jobs.length);
      if (isBegun) {
        for (const job of jobs) {
          await expect(world.read(caller, job.id)).rejects.toMatchObject(notFound);
        }
      } else await erase(caller, id);

      pass(2 * minuteMs);
      await sweepErasures();

      expect(await remnants(word), `after ${before} requests`).toEqual([]);
      expect(await ofJobs(caller), `after ${before} requests`).toEqual([]);
      expect(await erase(caller, id)).toEqual({ id, deleted: true, erased: true });
    }
    expect(requests).toBeGreaterThan(20);
  }, 120_000);
});

it('an erasure whose time is up is gone on with by the sweep, and by whoever asks again', async () => {
  const caller = await world.newCaller();
  const [byself, asked] = [newWord(), newWord()];
  const ids = await Promise.all(
    [byself, asked].map(async (word) => (await world.submit(caller, inline(word.repeat(100)))).id),
  );
  await world.work();
  const key = (job_id = '') => ({ key_id: caller.keyId, job_id });
  for (const id of ids) await beginErasure(await world.item(caller, id));

  const isErased = await Promise.all(
    ids.map(async (id) => eraseDependents((await findErasure(key(id))) as Erasure, Date.now())),
  );
  const left = await Promise.all([byself, asked].map(remnants));
  const again = await erase(caller, ids[1] ?? '');
  pass(minuteMs);
  await sweepErasures();

  expect(isErased).toEqual([false, false]);
  for (const places of left) expect(places.length).toBeGreaterThan(0);
  expect(again).toMatchObject({ erased: true });
  for (const word of [byself, asked]) expect(await remnants(word)).toEqual([]);
});

describe('a worker that comes late', () => {
  it('brings nothing back: what it still wrote is erased once none can be left', async () => {
    const caller = await world.newCaller();
    const word = newWord();
    const { id } = await world.submit(caller, inline(`${word} `.repeat(300)));
    await world.dispatch();
    const [late] = await claimBest('chat#0', 1);
    if (!late) throw new Error('no job is ready');
    const slow = gate();
    const asked = gate();
    const first = world.model.requests.length + 1;
    world.model.respond((_, n) => {
      if (n !== first) return { kind: 'pieces', pieces: answerAfter(), type: 'application/json' };
      asked.open();
      return { kind: 'pieces', pieces: answerAfter(slow.opened), type: 'application/json' };
    });
    const run = runLeased(
      { ...late, lease_until: '2100' },
      runChatJob,
      new AbortController().signal,
    );
    await asked.opened;
    await world.takeBack();
    await world.work();
    expect(await world.read(caller, id)).toMatchObject({ status: 'done' });
    await erase(caller, id);

    slow.open();
    await run;

    await expect(world.read(caller, id)).rejects.toMatchObject(notFound);
    expect(await listJobs(caller, {})).toMatchObject({ jobs: [] });
    const left = await ofJobs(caller);
    pass(21 * minuteMs);
    await sweepErasures();
    expect(left.length, 'what the late worker wrote').toBeGreaterThan(0);
    expect(await ofJobs(caller)).toEqual([]);
  });
});

async function* answerAfter(opened?: Promise<void>): AsyncGenerator<string> {
  await opened;
  const message = { role: 'assistant', content: 'An answer. '.repeat(300) };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  yield JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
}

describe('what other jobs need of a deleted one', () => {
  it('is the copy of its document while they work on it', async () => {
    const caller = await world.newCaller();
    const drive = { file_id: await world.add('shared.pdf', await smallPdf([{ grey: 40 }])) };
    const id = await done(caller, { job_type: 'ocr', drive });
    const { opened, open } = gate();
    const begun = gate();
    beforePage = () => {
      begun.open();
      return opened;
    };
    const { id: second } = await world.submit(caller, { job_type: 'ocr', drive, fresh: true });
    const work = world.work();
    await begun.opened;

    const early = await erase(caller, id);
    open();
    await work;
    const late = await erase(caller, id);

    expect(early).toMatchObject({ deleted: true, erased: false });
    expect(await world.read(caller, second)).toMatchObject({ status: 'done' });
    expect(late).toMatchObject({ erased: true });
    expect((await remnants(id)).filter((place) => place.includes('/source-'))).toEqual([]);
    await erase(caller, second);
    expect(await ofJobs(caller)).toEqual([]);
  });

  it('are its messages, which a job that tries it again keeps', async () => {
    const caller = await world.newCaller();
    const word = newWord();
    const { id } = await world.submit(caller, inline(`${word} `.repeat(300)));
    await stopCallersJob(caller, id);
    const again = await retryCallersJob(caller, id);
    await stopCallersJob(caller, again.id);

    await erase(caller, id);
    const third = await retryCallersJob(caller, again.id);
    await world.work();

    expect(await world.read(caller, third.id)).toMatchObject({ status: 'done' });
    expect((await remnants(word)).some((place) => place.includes(id))).toBe(false);
    for (const each of [again.id, third.id]) await erase(caller, each);
    expect(await remnants(word)).toEqual([]);
  });
});

describe('deleting is refused', () => {
  it('for a job that has not ended, for what it was made for, and while it is tried again', async () => {
    const caller = await world.newCaller();
    const { id } = await world.submit(caller, inline('waits'));

    await expect(erase(caller, id)).rejects.toMatchObject({
      statusCode: 409,
      message: 'Only a job that has ended can be deleted; this one is queued. Stop it first.',
    });
    await stopCallersJob(caller, id);
    const again = await retryCallersJob(caller, id);
    await expect(erase(caller, id)).rejects.toMatchObject({
      statusCode: 409,
      message: `The job that tries this one again has not ended: ${again.id}.`,
    });
    await world.work();
    expect(await erase(caller, id)).toMatchObject({ erased: true });
    expect((await world.read(caller, again.id)).result as ChatResult).toMatchObject({
      content: 'echo: waits',
    });
  });

  it('for another key’s job, as for one that there is not', async () => {
    const [caller, stranger] = [await world.newCaller(), await world.newCaller()];
    const id = await done(caller, inline('mine'));

    await expect(erase(stranger, id)).rejects.toMatchObject(notFound);
    await expect(erase(caller, 'job_x')).rejects.toMatchObject(notFound);
    await erase(caller, id);
    await expect(erase(stranger, id)).rejects.toMatchObject(notFound);
  });
});
