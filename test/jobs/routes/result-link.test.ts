import { expect, it, vi } from 'vitest';
import { plainText, putObject } from '../../../shared/jobs/engine/item/objects.ts';
import * as results from '../../../shared/jobs/results/keep-result.ts';
import { useStore } from '../../support/worlds/store.ts';
import type { StoredJob } from '../../support/worlds/stored-job.ts';

await useStore({ queues: true });

const key = { key_id: 'key_1', job_id: 'job_1' };

type Results = typeof import('../../../shared/jobs/results/keep-result.ts');

/** The link in the result of a job whose text is long. */
async function linkOf({ wholeResult }: Results): Promise<URL> {
  const text_object = await putObject(key, 'text', 'a text', plainText);
  const result_json = JSON.stringify({ type: 'ocr', text: null });
  const whole = await wholeResult({ ...key, text_object, result_json } as StoredJob);
  return new URL(JSON.parse(whole ?? '').url);
}

const secondsOf = (link: URL) => Number(link.searchParams.get('X-Amz-Expires'));

it('a link to a text works for an hour where nothing ends before', async () => {
  const link = await linkOf(results);

  expect(secondsOf(link)).toBe(3_600);
  expect(await (await fetch(link)).text()).toBe('a text');
});

it('a link to a text is promised for no longer than the credentials last that sign it', async () => {
  vi.stubEnv('AWS_CREDENTIAL_EXPIRATION', new Date(Date.now() + 120_000).toISOString());
  vi.resetModules();

  const link = await linkOf(await import('../../../shared/jobs/results/keep-result.ts'));

  expect(secondsOf(link)).toBeGreaterThan(100);
  expect(secondsOf(link)).toBeLessThanOrEqual(120);
});
