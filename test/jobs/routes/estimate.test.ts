import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { handler as estimateJob } from '../../../functions/estimate-job.ts';
import { createFile } from '../../../shared/files/create-file.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { JobEstimate } from '../../../shared/jobs/routes/estimate.ts';
import { JobSubmission } from '../../../shared/jobs/routes/submission.ts';
import { limitsOf } from '../../../shared/keys/key-limits.ts';
import { greyJpeg, imagePart, smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { some } from '../../support/run/cases.ts';
import { useFreshHour } from '../../support/worlds/clock.ts';
import { usdPerPage, useOf } from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';
import { allJobs } from '../../support/worlds/jobs.ts';

const world = await useDocumentWorld();

useFreshHour();

const ownFile = async ({ keyId }: Caller, filename: string, bytes: Uint8Array) => ({
  id: (await createFile(keyId, { filename, purpose: 'user_data' }, [bytes])).entry,
});

const maxPages = JSON.parse(process.env['DOCUMENT_LIMITS'] ?? '{}').pages as number;

async function estimateOf(caller: Caller, body: object): Promise<JobEstimate> {
  const submission = v.parse(JobSubmission, { ...body, dry_run: true });
  const allowedFolders = [...limitsOf(caller).drive_folders];
  const answer = await estimateJob({ keyId: caller.keyId, allowedFolders, submission });
  if ('refusal' in answer) throw new Error(answer.refusal.code);
  return v.parse(JobEstimate, answer.estimate);
}

it('counts the files of a folder and their pages, and makes nothing', async () => {
  world.drive.put('estimated/one.jpg', await greyJpeg(40));
  world.drive.put('estimated/two.pdf', await smallPdf([{ words: words(1) }]));
  world.drive.put('estimated/film.mp4', '\0\0\0\x18ftypmp42');
  world.drive.put('estimated/deeper/three.jpg', await greyJpeg(50));
  const caller = await world.newCaller();
  const folder_id = await world.idOf('estimated');
  const before = await allJobs();

  const flat = await estimateOf(caller, { job_type: 'ocr', drive: { folder_id } });
  const deep = await estimateOf(caller, { job_type: 'ocr', drive: { folder_id, recursive: true } });

  expect(flat.files).toEqual({ found: 3, pending: 2, skipped: 0, unsupported: 1, unreadable: 0 });
  expect(flat).toMatchObject({
    left_out: [{ filename: 'film.mp4', reason: 'unsupported_file_type' }],
    subfolders: { found: 1, listed: 0 },
    pages: { known: 2, unknown_files: 0, assumed_each: maxPages },
    unbounded_files: 0,
    is_complete: true,
  });
  expect(flat.max_cost_usd).toBeCloseTo(usdPerPage, 9);
  expect(deep).toMatchObject({
    files: { found: 4, pending: 3 },
    subfolders: { found: 1, listed: 1 },
    pages: { known: 3, unknown_files: 0 },
  });
  expect(await allJobs()).toEqual(before);
});

it('is no less than what the job costs in the end, whatever is asked', {
  tags: 'exhaustive',
}, async () => {
  const jpg = await greyJpeg(60);
  world.drive.put('priced/one.jpg', jpg);
  world.drive.put('priced/two.txt', 'Some words, and more of them.');
  const folder_id = await world.idOf('priced');
  const tasks = [
    { job_type: 'ocr' },
    { job_type: 'ocr', model: 'gpt-4.1-mini' },
    { job_type: 'chat' },
    { job_type: 'auto' },
    { job_type: 'ocr', pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' },
  ];

  for (const task of some(2, tasks)) {
    const caller = await world.newCaller();
    const body = { ...task, drive: { folder_id } };
    const { files, max_cost_usd, unbounded_files } = await estimateOf(caller, body);
    const { id } = await world.submit(caller, body);
    await world.work();

    const { result } = await world.read(caller, id);
    expect(result).toMatchObject({ files: { found: files.found, done: files.pending } });
    const { used } = await useOf(caller);
    expect(unbounded_files).toBe(0);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(max_cost_usd);
    expect((await estimateOf(caller, body)).files).toMatchObject({ pending: 0 });
  }
});

it('counts what was done before where the job would do it again', async () => {
  world.drive.put('done-before/counted.jpg', await greyJpeg(30));
  const caller = await world.newCaller();
  const [folder_id, file_id] = [await world.idOf('done-before'), await world.idOf('counted.jpg')];
  const ofFolder = { job_type: 'ocr', drive: { folder_id } };
  await world.submit(caller, ofFolder);
  await world.work();

  const skipped = await estimateOf(caller, ofFolder);
  const fresh = await estimateOf(caller, { ...ofFolder, fresh: true });
  const ofFile = await estimateOf(caller, { job_type: 'ocr', drive: { file_id } });

  expect(skipped).toMatchObject({ files: { pending: 0, skipped: 1 }, max_cost_usd: 0 });
  for (const estimate of [fresh, ofFile]) {
    expect(estimate).toMatchObject({ files: { pending: 1, skipped: 0 }, left_out: [] });
    expect(estimate.max_cost_usd).toBeCloseTo(usdPerPage, 9);
  }
});

it('looks into a file whose name speaks against it, as the job does', async () => {
  world.drive.put('misnamed/scan without extension', await greyJpeg(90));
  world.drive.put('misnamed/film.mp4', '\0\0\0\x18ftypmp42');
  const caller = await world.newCaller();
  const folder_id = await world.idOf('misnamed');

  const estimate = await estimateOf(caller, { job_type: 'ocr', drive: { folder_id } });

  expect(estimate.files).toMatchObject({ found: 2, pending: 1, unsupported: 1 });
});

it('counts of a small PDF the pages that OCR reads, and says so of other documents', async () => {
  const caller = await world.newCaller();
  const pages = [{ words: words(1) }, { grey: 90 }, { grey: 120 }];
  const drive = { file_id: await world.add('small.pdf', await smallPdf(pages)) };
  const pipeline = { pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' };

  const ocr = await estimateOf(caller, { job_type: 'ocr', drive });
  const forced = await estimateOf(caller, { job_type: 'ocr', drive, force_ocr: true });
  const piped = await estimateOf(caller, { job_type: 'ocr', ...pipeline, drive });
  const broken = { file_id: await world.add('broken.pdf', '%PDF-1.7 and no more') };
  const unknown = await estimateOf(caller, { job_type: 'ocr', drive: broken });

  expect(ocr.pages).toEqual({ known: 3, unknown_files: 0, assumed_each: maxPages });
  expect(ocr.max_cost_usd).toBeCloseTo(2 * usdPerPage, 9);
  expect(forced.max_cost_usd).toBeCloseTo(3 * usdPerPage, 9);
  expect(piped.unbounded_files).toBe(0);
  expect(piped.max_cost_usd).toBeGreaterThan(2 * usdPerPage);
  expect(piped.max_cost_usd).toBeLessThan(1);
  expect(unknown.pages).toEqual({ known: 0, unknown_files: 1, assumed_each: maxPages });
});

it('counts the pages of a large PDF also where the calls after them have no bound', async () => {
  const caller = await world.newCaller();
  const large = new Uint8Array(2 * 2 ** 20 + 1);
  large.set(await smallPdf([{ words: words(1) }]));
  const file_id = await world.add('bounded.pdf', large);
  const pipeline = { pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' };

  const ocr = await estimateOf(caller, { job_type: 'ocr', drive: { file_id } });
  const piped = await estimateOf(caller, { job_type: 'ocr', ...pipeline, drive: { file_id } });

  expect(ocr).toMatchObject({ max_cost_usd: maxPages * usdPerPage, unbounded_files: 0 });
  expect(piped).toMatchObject({ max_cost_usd: maxPages * usdPerPage, unbounded_files: 1 });
});

it('says where a file does not show what it comes to', async () => {
  const caller = await world.newCaller();
  const file_id = await world.add('requests.jsonl', '{}');

  const estimate = await estimateOf(caller, { job_type: 'chat', drive: { file_id } });

  expect(estimate).toMatchObject({ files: { found: 1, pending: 1 }, unbounded_files: 1 });
  expect(estimate.max_cost_usd).toBe(0);
});

it('is refused for what the key may not read', async () => {
  world.drive.put('estimated-elsewhere/secret.txt', 'Secret.');
  const folder_id = await world.idOf('estimated-elsewhere');
  const file_id = await world.idOf('secret.txt');
  const caller = await world.newCaller({ drive_folders: ['another'] });

  for (const drive of [{ folder_id }, { file_id }, { folder_id: 'unknown' }]) {
    const estimated = estimateOf(caller, { job_type: 'chat', drive });
    await expect(estimated).rejects.toThrow('drive_file_not_found');
  }
});

it('bounds what fields of scans and texts can cost, and counts what it can’t bound', async () => {
  world.drive.put('fields/one.jpg', await greyJpeg(40));
  world.drive.put('fields/two.pdf', await smallPdf([{ words: words(1) }]));
  world.drive.put('fields/three.txt', 'The door is blue.');
  const caller = await world.newCaller();
  const folder_id = await world.idOf('fields');
  const extract = { example: { shade: 'a' } };

  const estimate = await estimateOf(caller, { job_type: 'auto', drive: { folder_id }, extract });
  const one = await estimateOf(caller, {
    job_type: 'auto',
    drive: { file_id: await world.idOf('three.txt') },
    extract,
  });

  expect(estimate).toMatchObject({
    files: { found: 3, pending: 3 },
    pages: { known: 2, unknown_files: 0 },
    unbounded_files: 0,
  });
  const { id } = await world.submit(caller, {
    job_type: 'auto',
    drive: { file_id: await world.idOf('three.txt') },
    extract,
  });
  world.model.respond({ kind: 'answer', content: JSON.stringify({ shade: null }) });
  await world.work();
  const { result } = await world.read(caller, id);
  expect(one.unbounded_files).toBe(0);
  expect(one.max_cost_usd).toBeLessThan(1);
  expect(result).toMatchObject({ type: 'extract' });
  expect((result as { cost_usd: number }).cost_usd).toBeLessThan(one.max_cost_usd);
});

describe('a dry run of messages', () => {
  const part = (name: string, bytes: Uint8Array) => ({
    type: 'file',
    file: {
      filename: name,
      file_data: `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`,
    },
  });
  const inline = (content: unknown) => ({ messages: [{ role: 'user', content }] });

  it('of a chat is near what it comes to, and no less at most', async () => {
    const caller = await world.newCaller();
    const body = { job_type: 'chat', inline: inline('What is owed? '.repeat(400)) };
    world.model.respond({ kind: 'answer', content: 'Six pounds. '.repeat(100) });

    const estimate = await estimateOf(caller, body);
    await world.submit(caller, body);
    await world.work();

    const { used } = await useOf(caller);
    expect(estimate).toMatchObject({ files: { found: 0 }, assumed_answer_tokens: 500 });
    expect(used).toBeGreaterThan(estimate.likely_cost_usd / 4);
    expect(used).toBeLessThan(estimate.likely_cost_usd * 4);
    expect(estimate.max_cost_usd).toBeGreaterThan(used);
  });

  it('counts the pages of their pictures and files that OCR reads', async () => {
    const caller = await world.newCaller();
    const pdf = await smallPdf([{ words: words(1) }, { grey: 90 }]);
    const content = [
      part('a.pdf', pdf),
      await imagePart(120),
      part('film.mp4', Buffer.from('\0\0\0\x18ftypmp42')),
    ];
    const before = await allJobs();

    const estimate = await estimateOf(caller, { job_type: 'ocr', inline: inline(content) });

    expect(estimate).toMatchObject({
      files: { found: 3, pending: 2, unsupported: 1 },
      pages: { known: 3, unknown_files: 0 },
      unbounded_files: 0,
    });
    expect(estimate.max_cost_usd).toBeCloseTo(2 * usdPerPage, 9);
    expect(estimate.likely_cost_usd).toBeCloseTo(2 * usdPerPage, 9);
    expect(await allJobs()).toEqual(before);
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });

  it('that a pipeline or an extraction reads asks about all of them together', async () => {
    const caller = await world.newCaller();
    const content = [
      part('a.txt', Buffer.from('The door is blue.')),
      part('b.txt', Buffer.from('So.')),
    ];
    const asks = [
      { pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' },
      { extract: { example: { door: 'red' } } },
    ];

    for (const ask of asks) {
      const one = await estimateOf(caller, {
        job_type: 'ocr',
        ...ask,
        inline: inline([content[0]]),
      });
      const both = await estimateOf(caller, { job_type: 'ocr', ...ask, inline: inline(content) });

      expect(both).toMatchObject({ files: { found: 2, pending: 2 }, unbounded_files: 0 });
      expect(both.max_cost_usd).toBeLessThan(1.1 * one.max_cost_usd);
      expect(both.likely_cost_usd).toBeGreaterThan(0);
      expect(both.likely_cost_usd).toBeLessThan(0.01);
    }
  });

  it('takes the bytes of files that they name', async () => {
    const caller = await world.newCaller();
    const { id } = await ownFile(caller, 'own.pdf', await smallPdf([{ grey: 60 }]));
    const content = [{ type: 'file', file: { file_id: id } }];

    const estimate = await estimateOf(caller, { job_type: 'ocr', inline: inline(content) });

    expect(estimate).toMatchObject({ files: { found: 1 }, pages: { known: 1 } });
  });
});

it('counts a file of the key’s own as one of the drive', async () => {
  const caller = await world.newCaller();
  const { id } = await ownFile(
    caller,
    'own.pdf',
    await smallPdf([{ words: words(1) }, { grey: 60 }]),
  );
  const film = await ownFile(caller, 'film.mp4', Buffer.from('\0\0\0\x18ftypmp42'));

  const estimate = await estimateOf(caller, { job_type: 'ocr', file_id: id });
  const unsupported = await estimateOf(caller, { job_type: 'ocr', file_id: film.id });

  expect(estimate).toMatchObject({ files: { found: 1, pending: 1 }, pages: { known: 2 } });
  expect(estimate.max_cost_usd).toBeCloseTo(usdPerPage, 9);
  expect(unsupported).toMatchObject({
    files: { found: 1, pending: 0, unsupported: 1 },
    left_out: [{ file_id: film.id, filename: 'film.mp4', reason: 'unsupported_file_type' }],
    max_cost_usd: 0,
  });
});

it('does not count the text of an Office file as a question to a model', async () => {
  const caller = await world.newCaller();
  const file_id = await world.add('stock.docx', 'PK\x03\x04 a package');

  const estimate = await estimateOf(caller, { job_type: 'ocr', drive: { file_id } });

  expect(estimate).toMatchObject({ files: { pending: 1 }, max_cost_usd: 0, unbounded_files: 1 });
});
