import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auth, drive } from 'googleapis';
import { startDriveServer } from '../../lib/local/drive/drive-server.ts';
import { signAssertion } from '../../shared/drive/service-account.ts';
import { submit, until } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { cpuSecondsOf } from '../support/servers/processes.ts';
import { newDataDir, startTestStage } from '../support/servers/stage.ts';

// Measures a folder of small text files: how long the stage takes to read them all, with a result beside each, and and how
// long a script does by Google's client that reads one after another, in one process, and writes nothing.
// node test/bench/folder.ts [files] [rounds]

const count = Number(process.argv[2] ?? 200);
const rounds = Number(process.argv[3] ?? 3);

for (let round = 0; round < rounds; round++) {
  const script = await byScript();
  const { seconds, cpuSeconds } = await byStage();
  const each = (taken: number) => `${((1000 * taken) / count).toFixed(1)} ms a file`;
  console.log(
    `  script ${each(script)}   stage ${each(seconds)}, CPU ${each(cpuSeconds)}   ratio ${(seconds / script).toFixed(2)}`,
  );
}
process.exit();

function fill(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < count; n++) {
    writeFileSync(join(folder, `note ${n}.txt`), `Note ${n}\n\n${'A line of it. '.repeat(20)}\n`);
  }
}

/** Returns how long a folder's job takes until it is done, in seconds. */
async function byStage() {
  const dataDir = newDataDir();
  const stage = await startTestStage({ memory: true, dataDir, env: { LEASES: 'on' } });
  const limits = { drive_folders: ['local-drive'], requests_per_minute: null };
  const caller = await newCaller(stage, limits);
  // Functions that are to read have been started.
  const warm = { job_type: 'ocr', drive: { folder_id: 'local-drive' } };
  await until(caller, (await submit(caller, warm)).id);
  fill(join(dataDir, 'drive'));
  const cpuAtStart = cpuSecondsOf(stage.process.pid ?? 0);
  const startedAt = performance.now();
  const { id } = await submit(caller, warm);
  const job = await until(caller, id);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = cpuSecondsOf(stage.process.pid ?? 0) - cpuAtStart;
  const { files } = job.result as unknown as { files: Record<string, number> };
  if (files['done'] !== count) throw new Error(JSON.stringify(job));
  await stage.close();
  return { seconds, cpuSeconds };
}

/** Returns how long a script takes that reads each file, in seconds. */
async function byScript(): Promise<number> {
  const base = mkdtempSync(join(tmpdir(), 'quire-bench-'));
  fill(join(base, 'Drive'));
  const server = await startDriveServer({ folder: join(base, 'Drive') });
  const { serviceAccount, url } = server;
  const token = await fetch(serviceAccount.token_uri, {
    method: 'POST',
    body: new URLSearchParams({ assertion: signAssertion(serviceAccount) }),
  });
  const account = new auth.OAuth2();
  account.setCredentials((await token.json()) as { access_token: string });
  const client = drive({ version: 'v3', auth: account, rootUrl: url });
  const startedAt = performance.now();
  const { data } = await client.files.list({ pageSize: 1_000 });
  for (const { id } of data.files ?? []) await client.files.get({ fileId: id ?? '', alt: 'media' });
  const seconds = (performance.now() - startedAt) / 1000;
  await server.close();
  rmSync(base, { recursive: true });
  return seconds;
}
