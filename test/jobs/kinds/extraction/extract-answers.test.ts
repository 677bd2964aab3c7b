import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { s3 } from '../../../../shared/aws/s3.ts';
import { setting } from '../../../../shared/config.ts';
import type { Caller } from '../../../../shared/http/caller.ts';
import { UnprocessableEntityError } from '../../../../shared/http/errors.ts';
import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import { lowConfidence } from '../../../../shared/jobs/results/warnings.ts';
import { eraseCallersJob } from '../../../../shared/jobs/routes/erase-job.ts';
import { listJobs } from '../../../../shared/jobs/routes/read.ts';
import { retryCallersJob } from '../../../../shared/jobs/routes/retry.ts';
import { stopCallersJob } from '../../../../shared/jobs/routes/stop.ts';
import { changeKey } from '../../../../shared/keys/key.ts';
import {
  readGrey,
  type SmallPage,
  smallPdf,
  words,
} from '../../../support/fixtures/small-documents.ts';
import type { ModelRequestBody } from '../../../support/servers/model-stub-body.ts';
import { expectBalanced, usdPerPage } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { upTo } from '../../../support/worlds/killed-workers.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';

/** A page of this grey is read with little confidence. */
const unsureGrey = 220;

const world = await useDocumentWorld(async (image) => {
  const page = await readGrey(image);
  const [read = []] = page.blocks.map(({ paragraphs }) => paragraphs.flat()[0]?.words);
  if (read.some(({ text }) => text === String(unsureGrey))) {
    for (const word of read) word.confidence = lowConfidence - 1;
  }
  return page;
});

let documents = 0;

async function submit(caller: Caller, pages: SmallPage[], extract: object, rest = {}) {
  const drive = { file_id: await world.add(`answers-${++documents}.pdf`, await smallPdf(pages)) };
  return (await world.submit(caller, { job_type: 'auto', drive, extract, ...rest })).id;
}

async function ended(caller: Caller, id: string) {
  await world.work();
  const job = await world.read(caller, id);
  return { ...job, result: job.result as ExtractResult };
}

const example = { shade: 'a', rows: [{ word: 'a' }] };
/** Of twelve pages, arrays are taken by three windows of six, with one in common. */
const printed = upTo(12).map((at): SmallPage => ({ words: words(at + 1) }));

const fields = { shade: { value: 'cost', quote: 'cost', page: 1 }, rows: [] };
const whole = { kind: 'answer', content: JSON.stringify(fields) } as const;
const asks = (body: ModelRequestBody, page: number) =>
  JSON.stringify(body.messages).includes(`These words of page ${page} are`);

describe('an answer that can’t be read', () => {
  it('is asked for once more', async () => {
    const caller = await world.newCaller();
    world.model.respond([{ kind: 'answer', content: 'I found nothing.' }, whole]);

    const { status, result } = await ended(
      caller,
      await submit(caller, printed.slice(0, 2), { example }),
    );

    expect(status).toBe('done');
    expect(result.data).toMatchObject({ shade: 'cost' });
    expect(result.windows).toEqual({ total: 1, repairs: 0, failed: 0 });
    expect(await chargesOf(caller.keyId)).toHaveLength(2);
    expect(result.usage.prompt_tokens).toBeGreaterThan(0);
    await expectBalanced([caller]);
  });

  it('leaves out the pages of its window alone, and says so', async () => {
    const caller = await world.newCaller();
    world.model.respond((body) => (asks(body, 12) ? { kind: 'answer', content: 'No.' } : whole));

    const { status, result } = await ended(caller, await submit(caller, printed, { example }));

    expect(status).toBe('done');
    expect(result.windows.failed).toBe(1);
    const left = result.coverage.pages.filter(({ status }) => status === 'left_out');
    expect(left.length).toBeGreaterThan(0);
    expect(left.at(-1)?.page).toBe(12);
    for (const { reason } of left) expect(reason).toMatch(/^invalid_answer: /);
    expect(result.coverage.pages[0]?.status).toBe('used');
    await expectBalanced([caller]);
  });

  it('of every window fails the job, which keeps the pages that were read', async () => {
    const caller = await world.newCaller();
    world.model.respond({ kind: 'answer', content: 'No.' });

    const job = await ended(caller, await submit(caller, [{ grey: 40 }], { example }));

    expect(job).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^extract_step_failed: invalid_answer: /),
      result: { type: 'ocr', text: 'grey 40', cost_usd: usdPerPage },
    });
    await expectBalanced([caller]);
  });

  it('is no more than that once it is asked for again by a retry, which reads nothing anew', async () => {
    const caller = await world.newCaller();
    world.model.respond({ kind: 'status', status: 400 });
    const { id } = await ended(caller, await submit(caller, [{ grey: 60 }], { example }));
    world.model.respond(whole);

    const retry = await retryCallersJob(caller, id);
    const { status, result } = await ended(caller, retry.id);

    expect(status).toBe('done');
    expect(result.ocr).toMatchObject({ images_used: 0, cost_usd: 0 });
  });
});

it('a window whose answer breaks off is asked about in halves', async () => {
  const caller = await world.newCaller();
  const cut = {
    choices: [{ message: { role: 'assistant', content: '{"sh' }, finish_reason: 'length' }],
  };
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  world.model.respond((body) =>
    asks(body, 1) && asks(body, 4)
      ? { kind: 'pieces', pieces: [JSON.stringify({ ...cut, usage })] }
      : whole,
  );

  const { status, result } = await ended(
    caller,
    await submit(caller, printed.slice(0, 4), { example }),
  );

  expect(status).toBe('done');
  expect(result.coverage.pages.map(({ status }) => status)).toEqual(upTo(4).map(() => 'used'));
  expect(await chargesOf(caller.keyId)).toHaveLength(3);
  await expectBalanced([caller]);
});

it('a document that is read in parts is put to the model whole', async () => {
  const caller = await world.newCaller();
  world.model.respond(whole);
  const pages = upTo(55).map(
    (at): SmallPage => (at === 52 ? { grey: unsureGrey } : { words: words(at + 1) }),
  );

  const id = await submit(caller, pages, { example, vision: true });
  const { status, result } = await ended(caller, id);

  expect(status).toBe('done');
  expect(result.coverage.pages.map(({ status }) => status)).toEqual(pages.map(() => 'used'));
  expect(result.ocr).toMatchObject({ page_count: 55, images_used: 1, low_confidence_pages: [53] });
  await expectBalanced([caller]);
});

it('fields too long for an answer are behind a link', async () => {
  const caller = await world.newCaller();
  const long = 'word '.repeat(60_000).trim();
  const shade = { value: long, quote: 'cost', page: 1 };
  world.model.respond({ kind: 'answer', content: JSON.stringify({ shade, rows: [] }) });

  const id = await submit(caller, printed.slice(0, 1), { example });
  const { result } = await ended(caller, id);

  expect(result).toMatchObject({ data: null, evidence: [] });
  const linked = (await (await fetch(result.url ?? '')).json()) as ExtractResult;
  expect(linked).toMatchObject({ type: 'extract', data: { shade: long }, ocr: { page_count: 1 } });
});

it('is listed with its values where these are short, and with the evidence of what has no place', async () => {
  const caller = await world.newCaller();
  const names = upTo(16).map((at) => `price-${at}`);
  const found = { value: 'cost', quote: 'cost', page: 1 };
  const invented = { value: 'gold', quote: 'gold', page: 1 };
  const told = { ...Object.fromEntries(names.map((name) => [name, found])), shade: invented };
  world.model.respond({ kind: 'answer', content: JSON.stringify(told) });
  const asked = { example: Object.fromEntries(Object.keys(told).map((name) => [name, 'a'])) };
  const id = await submit(caller, printed.slice(0, 1), asked);

  const { result } = await ended(caller, id);

  const { jobs } = await listJobs(caller, { parent_job_id: 'none' });
  expect(result.evidence).toHaveLength(17);
  expect(jobs[0]?.result).toMatchObject({
    data: result.data,
    evidence: [{ path: '/shade', found: 'not found' }],
    coverage: { pages: [] },
  });
});

it('rows that a model leaves out are asked for again, as a call of their own', async () => {
  const caller = await world.newCaller();
  const all = upTo(8).map((at) => ({ what: `Part-${at}`, amount: at + 0.5 }));
  const lineOf = ({ what, amount }: (typeof all)[number]) => `${what} ${amount.toFixed(2)}`;
  const rowsOf = (rows: typeof all) =>
    JSON.stringify({ rows: rows.map((row) => ({ ...row, page: 1, quote: lineOf(row) })) });
  world.model.respond(({ messages }) => {
    const isRepair = JSON.stringify(messages).includes('\\"line\\":');
    return { kind: 'answer', content: rowsOf(isRepair ? all.slice(3, 5) : all.toSpliced(3, 2)) };
  });
  const rows = all.map((row) => `| ${lineOf(row).replace(' ', ' | ')} |`);
  const text = ['| Part | Price |', '| --- | --- |', ...rows, '| Total | 32.00 |'].join('\n');
  const drive = { file_id: await world.add('parts.txt', text) };

  const { id } = await world.submit(caller, {
    job_type: 'auto',
    drive,
    extract: { example: { rows: [{ what: 'a', amount: 1 }] } },
  });
  const { status, result } = await ended(caller, id);

  expect(status).toBe('done');
  expect(result.data).toEqual({ rows: all });
  expect(result.windows).toEqual({ total: 1, repairs: 1, failed: 0 });
  expect(result.coverage.arrays).toEqual([
    { path: '/rows', returned: 8, on_pages: 8, missing: [] },
  ]);
  expect(await chargesOf(caller.keyId)).toHaveLength(2);
  await expectBalanced([caller]);
});

describe('pages that were read badly', () => {
  const pictures = ({ messages }: ModelRequestBody) =>
    JSON.stringify(messages).match(/data:image\/jpeg/g)?.length ?? 0;

  it.each([
    [{ vision: true }, 1],
    [{ vision: { below: 95 } }, 2],
    [{}, 0],
  ])('with %j are put to the model as %i pictures', async (vision, count) => {
    const caller = await world.newCaller();
    world.model.respond(whole);
    const pages = [{ grey: unsureGrey }, { grey: 50 }, { words: words(3) }];

    const { status } = await ended(caller, await submit(caller, pages, { example, ...vision }));

    expect(status).toBe('done');
    const last = world.model.requests.at(-1);
    expect(last && pictures(last.body)).toBe(count);
  });

  it('before are drawn, and not read again', async () => {
    const caller = await world.newCaller();
    world.model.respond(whole);
    const drive = { file_id: await world.add('seen.pdf', await smallPdf([{ grey: unsureGrey }])) };
    await world.submit(caller, { job_type: 'ocr', drive });
    await world.work();
    const { total } = world.textract.meter.report();

    const { id } = await world.submit(caller, {
      job_type: 'auto',
      drive,
      extract: { example, vision: true },
    });
    const { status, result } = await ended(caller, id);

    expect(status).toBe('done');
    expect(result.ocr?.images_used).toBe(0);
    expect(world.textract.meter.report().total).toBe(total);
    const last = world.model.requests.at(-1);
    expect(last && pictures(last.body)).toBe(1);
  });
});

it('a job that is stopped keeps the fields that were answered by then', async () => {
  const caller = await world.newCaller({ max_concurrent: 1 });
  world.model.respond((body) => {
    if (asks(body, 12)) return { kind: 'status', status: 500 };
    return whole;
  });
  const id = await submit(caller, printed, { example }, { max_retries: 5 });
  await world.runOnly('ocr');
  await world.runOnly('chat');

  await stopCallersJob(caller, id);
  const { status, result } = await ended(caller, id);

  expect(status).toBe('cancelled');
  expect(result).toMatchObject({ type: 'extract', data: { shade: 'cost' } });
  expect(result.coverage.pages.at(-1)).toMatchObject({
    status: 'left_out',
    reason: expect.stringMatching(/^stopped: /),
  });
  await expectBalanced([caller]);
});

/** How many objects a key has. */
async function objectsOf({ keyId }: Caller): Promise<number> {
  const names = { Bucket: setting('OBJECTS_BUCKET'), Prefix: `${keyId}/` };
  return (await s3.send(new ListObjectsV2Command(names))).KeyCount ?? 0;
}

it('a budget that covers the reading alone keeps the pages, and a retry pays the fields alone', async () => {
  const caller = await world.newCaller({ budget_usd: usdPerPage });
  world.model.respond(whole);
  const job = await ended(caller, await submit(caller, [{ grey: 80 }], { example }));
  await changeKey(caller.keyId, { budget_usd: 1 });

  const retry = await retryCallersJob(caller, job.id);
  const { status, result } = await ended(caller, retry.id);

  expect(job).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^extract_step_failed: budget_exceeded/),
    result: { type: 'ocr', text: 'grey 80' },
  });
  expect(status).toBe('done');
  expect(result.ocr).toMatchObject({ images_used: 0, cost_usd: 0 });
  await expectBalanced([caller]);
});

it('what was kept of a job goes with it', async () => {
  const caller = await world.newCaller();
  world.model.respond(whole);
  const { id } = await ended(caller, await submit(caller, [{ grey: 70 }], { example }));

  const before = await objectsOf(caller);

  const { erased } = await eraseCallersJob(caller, id);

  expect(erased).toBe(true);
  expect(before).toBeGreaterThan(2);
  expect(await objectsOf(caller)).toBe(0);
});

describe('a submission', () => {
  const refusedField = async (body: object) => {
    const caller = await world.newCaller();
    const drive = { file_id: 'any' };
    try {
      await world.submit(caller, { job_type: 'auto', drive, ...body });
    } catch (error) {
      if (error instanceof UnprocessableEntityError) return error.fields[0]?.loc;
      throw error;
    }
    return undefined;
  };

  it.each<[string, object, unknown[]]>([
    ['a pipeline too', { extract: { example }, pipeline: 'ocr_then_chat' }, ['body', 'extract']],
    ['neither schema nor example', { extract: {} }, ['body', 'extract']],
    [
      'a type that is none',
      { extract: { schema: { type: 'object', properties: { a: { type: 'text' } } } } },
      ['body', 'extract', 'schema', 'properties', 'a', 'type'],
    ],
    [
      'a list of lists',
      { extract: { example: { a: [[1]] } } },
      ['body', 'extract', 'example', 'a', 'items'],
    ],
    ['both', { extract: { example, schema: { type: 'object' } } }, ['body', 'extract']],
  ])('with %s is refused, and the field named', async (_, body, loc) => {
    expect(await refusedField(body)).toEqual(loc);
  });
});
