import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { accessToken, driveClient } from '../../support/servers/drive.ts';

const file = new URL('../../../lib/local/drive/drive-thread.ts', import.meta.url);

it('a thread of its own serves the folder, and ends when told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-drive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.txt'), '');
  const thread = new Worker(file, { workerData: { folder } });

  const [{ url, serviceAccount }] = await once(thread, 'message');
  const client = driveClient(url, await accessToken(serviceAccount));
  const { data } = await client.files.list({ fields: 'files(name)' });
  thread.postMessage('close');
  await once(thread, 'exit');

  expect(data).toEqual({ files: [{ name: 'a.txt' }] });
  await expect(fetch(url)).rejects.toThrow();
});
