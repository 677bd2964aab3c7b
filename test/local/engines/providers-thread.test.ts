import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { startEngineThread } from '../../../lib/local/engines/engine.ts';
import type { Providers } from '../../../lib/local/stage/providers-thread.ts';
import { useFolder } from '../../support/run/use-folder.ts';
import { accessToken, driveClient } from '../../support/servers/drive.ts';

const file = new URL('../../../lib/local/stage/providers-thread.ts', import.meta.url);
const folder = useFolder();

it('a thread serves the drive, the web and the offline model, and ends when told', async () => {
  writeFileSync(join(folder, 'a.txt'), 'A heron.');
  const options = { drive: { folder }, web: { folder }, hasModel: false };
  const { drive, web, offlineModel, close } = await startEngineThread<Providers>(file, options);

  const client = driveClient(drive.url, await accessToken(drive.serviceAccount));
  const { data } = await client.files.list({ fields: 'files(name)' });
  const found = await fetch(`${web.searchUrl}/search?format=json&q=heron`);
  const models = new OpenAI({ baseURL: offlineModel?.url, apiKey: `${offlineModel?.key}` });
  const { data: offered } = await models.models.list();
  await close();

  expect(data).toEqual({ files: [{ name: 'a.txt' }] });
  expect(await found.json()).toMatchObject({ results: [{ url: `${web.url}/pages/a.txt` }] });
  expect(offered).toHaveLength(1);
  for (const url of [drive.url, web.url]) await expect(fetch(url)).rejects.toThrow();
});

it('where a real model is there, it has none', async () => {
  const options = { drive: { folder }, web: { folder }, hasModel: true };

  const { offlineModel, close } = await startEngineThread<Providers>(file, options);
  await close();

  expect(offlineModel).toBeUndefined();
});
