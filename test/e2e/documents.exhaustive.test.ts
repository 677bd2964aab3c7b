import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PipelineResult } from '../../shared/jobs/results/result.ts';
import type { JobList, JobRecord } from '../../shared/jobs/routes/record.ts';
import { letters, minutes, report } from '../support/fixtures/sample-texts.ts';
import { characterErrorRate } from '../support/fixtures/scans.ts';
import { call, submit, type Target, until } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { minuteMs, untilHourHas } from '../support/worlds/clock.ts';

// Others drop files into the shared stage's drive.
const stage = await useOwnStage({ memory: true });

describe('the sample folder, by a pipeline', () => {
  let caller: Target;
  let folder: JobRecord;
  let files: Map<string | null, JobRecord>;

  beforeAll(async () => {
    await untilHourHas(2 * minuteMs);
    caller = await newCaller(stage, { drive_folders: ['local-drive'] });
    const { id } = await submit(caller, {
      job_type: 'ocr',
      drive: { folder_id: 'local-drive' },
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'Who met, and where?',
    });
    folder = await until(caller, id);
    const path = `/batch/jobs?parent_job_id=${id}`;
    const { body } = await call<JobList>(caller, 'GET', path);
    const jobs = await Promise.all(body.jobs.map((job) => until(caller, job.id)));
    files = new Map(jobs.map((job) => [job.filename, job]));
  }, 240_000);

  const ocrOf = (name: string) => (files.get(name)?.result as PipelineResult | undefined)?.ocr;

  it('is done when its last file is, and counts them', () => {
    expect(folder).toMatchObject({ status: 'done', error: null, filename: 'My Drive' });
    expect(folder.result).toMatchObject({
      type: 'folder',
      files: { found: 9, done: 9, failed: 0, cancelled: 0, skipped: 0, unsupported: 0 },
    });
  });

  it('has each answer beside its source', () => {
    const names = ['two-column-scan.jpg', 'table.png', 'text-layer.pdf', 'mixed.pdf'];

    expect(readdirSync(join(stage.dataDir, 'drive'))).toEqual(
      expect.arrayContaining(names.map((name) => `${name}.result.md`)),
    );
    for (const name of names) {
      expect(files.get(name)).toMatchObject({
        status: 'done',
        error: null,
        drive_result_file_id: expect.any(String),
        result: { type: 'pipeline', chat: { type: 'chat', content: expect.stringMatching(/./) } },
      });
    }
  });

  it('reads a noisy, skewed scan of two columns in reading order', () => {
    const { text, pages } = ocrOf('two-column-scan.jpg') ?? {};

    expect(characterErrorRate(minutes, text ?? '')).toBeLessThan(0.03);
    expect(pages?.[0]).toMatchObject({ source: 'ocr', confidence: expect.any(Number) });
  });

  it('takes a text layer as it is, for nothing', () => {
    const { text, images_used, cost_usd } = ocrOf('text-layer.pdf') ?? {};

    expect(characterErrorRate(letters.join('\n\n'), text ?? '')).toBeLessThan(0.005);
    expect({ images_used, cost_usd }).toEqual({ images_used: 0, cost_usd: 0 });
  });

  it('reads of a mixed document only the pages that are pictures', () => {
    const { pages, images_used } = ocrOf('mixed.pdf') ?? {};

    const scans = report.filter(({ kind }) => kind === 'scan');
    expect(images_used).toBe(scans.length);
    for (const [index, { kind, text }] of report.entries()) {
      expect(pages?.[index]?.source).toBe(kind === 'scan' ? 'ocr' : 'text_layer');
      expect(characterErrorRate(text, pages?.[index]?.text ?? '')).toBeLessThan(0.03);
    }
  });

  it('has nothing left to do for the same task', async () => {
    const again = await submit(caller, {
      job_type: 'ocr',
      drive: { folder_id: 'local-drive' },
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'Who met, and where?',
    });

    const { result } = await until(caller, again.id);
    expect(result).toMatchObject({ files: { found: 9, done: 0, skipped: 9, unsupported: 0 } });
  });

  it('asked another question pays for the answers, and for no page', async () => {
    const { id } = await submit(caller, {
      job_type: 'ocr',
      drive: { folder_id: 'local-drive' },
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'What was agreed?',
    });
    await until(caller, id);
    const { body } = await call<JobList>(caller, 'GET', `/batch/jobs?parent_job_id=${id}`);
    const jobs = await Promise.all(body.jobs.map((job) => until(caller, job.id)));

    const read = jobs.map(({ result }) => (result as PipelineResult).ocr);
    expect(read.map(({ images_used, cost_usd }) => images_used + cost_usd)).toEqual(
      Array.from({ length: 9 }, () => 0),
    );
    const scans = read.flatMap(({ pages }) => pages.filter(({ source }) => source === 'ocr'));
    expect(scans.every(({ cached }) => cached)).toBe(true);
    const names = readdirSync(join(stage.dataDir, 'drive'));
    for (const { filename } of jobs) {
      const own = names.filter((name) => name.startsWith(`${filename}.what-was-agreed-`));
      expect(own, filename ?? '').toHaveLength(1);
    }
  });

  it('is counted to the page in the limits', async () => {
    const scans = [...files.values()].map(({ result }) => (result as PipelineResult).ocr);
    const images = scans.reduce((sum, { images_used }) => sum + images_used, 0);

    const { body } = await call<{ ocr: Record<string, number> }>(caller, 'GET', '/user/limits');

    expect(body.ocr['used_this_hour']).toBe(images);
  });
});
