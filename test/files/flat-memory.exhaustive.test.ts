import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createUpload, type UploadObject } from '../../shared/files/upload.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });

const processFile = fileURLToPath(new URL('function-process.ts', import.meta.url));
const run = promisify(execFile);
const parts = 50;
const bytes = parts * 4 * 2 ** 20;
const key = 'key_large';

/** What passes in the first fifth warms a process up: the memory that it has then is all that it needs. */
const warm = parts / 5;

/** Runs a function in a process of its own; expects that its memory grows by no part of the file that matters. */
async function runFlat<Result>(work: string, ...args: string[]): Promise<Result> {
  const { stdout } = await run(process.execPath, [processFile, work, key, ...args], {
    env: process.env,
    maxBuffer: 2 ** 26,
  });
  const { result, rssMb } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    result: Result;
    rssMb: number[];
  };
  const first = Math.max(...rssMb.slice(0, warm));
  const most = Math.max(...rssMb);
  expect(most - first, rssMb.join(' ')).toBeLessThan(80);
  return result;
}

it('passes 200 MB in parts of 4 MB through functions whose memory stays as it is', async () => {
  const { entry } = await createUpload(key, {
    ...{ filename: 'large.jsonl', purpose: 'batch', mime_type: 'application/jsonl', bytes },
  });

  const sent = await runFlat<{ ids: string[]; md5: string }>('sendParts', entry, String(parts));
  const upload = await runFlat<UploadObject>('complete', entry, '0', sent.md5, ...sent.ids);
  const read = await runFlat<object>('download', upload.file?.id ?? '');
  const made = await runFlat<object>('create', 'none', String(parts));

  expect(upload).toMatchObject({ status: 'completed', file: { bytes } });
  expect(read).toEqual({ bytes, md5: sent.md5 });
  expect(made).toMatchObject({ bytes });
});
