import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Document } from '../../shared/documents/document.ts';
import { DocumentProcess } from '../../shared/documents/processes/document-process.ts';
import type {
  DocumentAnswer,
  DocumentRequest,
} from '../../shared/documents/processes/document-requests.ts';
import { openInProcess } from '../../shared/documents/processes/read-in-process.ts';
import { greyPage, rawPdf, shadingPage } from '../support/fixtures/poison.ts';
import { writtenLines } from '../support/run/output.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { poll } from '../support/servers/poll.ts';
import { commandLine } from '../support/servers/processes.ts';
import { busyFor, killDrawer, processesFor } from './busy-processes.ts';
import { fileOf } from './open-bytes.ts';

const file = new URL('../../shared/documents/parts/pages-process.ts', import.meta.url);
const own = new DocumentProcess<DocumentRequest, DocumentAnswer>(file, { heapMb: 256 });
afterAll(() => own.end());

const reader = { process: own, ms: 60_000 };
const folder = useFolder();
const endless = fileOf(rawPdf([shadingPage(20_000), greyPage(60)]));

const readingOf = (turn: string) => ({ turn, losses: { count: 0 } });

const openFor = (turn: string, path: string): Promise<Document> =>
  openInProcess(reader, path, 'pdf', readingOf(turn));

const greys = (count: number) => Array.from({ length: count }, (_, page) => greyPage(20 * page));

const read = async (document: Document, page: number) =>
  document.readPage(page).then(
    (content) => Object.keys(content)[0],
    ({ statusCode, message }) => `${statusCode} ${message}`,
  );

it('has a process group of its own, which Ctrl-C in the terminal of its parent is not sent to', async () => {
  await openFor('a', fileOf(rawPdf([greyPage(90)])));

  const ids = processesFor('pages-process');

  expect(ids.length).toBeGreaterThan(0);
  // It throws where no group has the process's id.
  expect(ids.map((id) => process.kill(-id, 0))).toEqual(ids.map(() => true));
});

describe('a process that is killed', () => {
  it('over a page is followed by another, and a page that loses both is given up', {
    tags: 'exhaustive',
  }, async () => {
    const document = await openFor('a', endless);
    const reading = read(document, 1);

    await killDrawer();
    await killDrawer();

    expect(await reading).toBe("422 Page 1 can't be read: it takes too much memory to read.");
    expect(await read(document, 2)).toBe('jpeg');
  });

  it("loses no other document's page", { tags: 'exhaustive' }, async () => {
    const poisoned = read(await openFor('a', endless), 1);
    const other = read(await openFor('b', fileOf(rawPdf([greyPage(90)]))), 1);

    await killDrawer();

    expect(await other).toBe('jpeg');
    await killDrawer();
    expect(await poisoned).toMatch(/^422 /);
  });
});

it('a process has no credentials, what it writes goes nowhere, and the kernel takes it first', async () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  await own.end();
  (await openFor('a', fileOf(rawPdf([greyPage(90)])))).close();

  const [id] = processesFor('pages-process');
  const names = readFileSync(`/proc/${id}/environ`, 'utf8').match(/(?<=^|\0)\w+/g);
  const outputs = [1, 2].map((number) => readlinkSync(`/proc/${id}/fd/${number}`));

  const allowed = /^(TZ|PWD|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|NODE_CHANNEL_\w+)$/;
  expect(names?.filter((name) => !allowed.test(name))).toEqual([]);
  expect(outputs).toEqual(['/dev/null', '/dev/null']);
  expect(readFileSync(`/proc/${id}/oom_score_adj`, 'utf8').trim()).toBe('1000');
});

it('a process that does not even start is no fault of the document', async () => {
  const missing = new DocumentProcess<DocumentRequest, DocumentAnswer>(
    new URL('./missing.ts', import.meta.url),
    { heapMb: 256 },
  );
  const opening = openInProcess({ process: missing, ms: 60_000 }, endless, 'pdf', readingOf('a'));

  await expect(opening).rejects.toThrow('A process for documents ended before it was ready: 1');
});

describe('a process whose parent is killed', () => {
  /** Starts a parent that draws a page, in a process with three seconds of processor time, and says when it is done. */
  function startParent(path: string): ChildProcess {
    const script = join(folder, 'parent.ts');
    const source = (name: string) =>
      JSON.stringify(fileURLToPath(new URL(`../../shared/documents/${name}`, import.meta.url)));
    writeFileSync(
      script,
      `import { DocumentProcess } from ${source('processes/document-process.ts')};
      import { openInProcess } from ${source('processes/read-in-process.ts')};
      const own = new DocumentProcess(new URL(${JSON.stringify(file.href)}), { heapMb: 256, cpuSeconds: 3 });
      const reading = { turn: 'key', losses: { count: 0 } };
      const document = await openInProcess({ process: own, ms: 600_000 }, ${JSON.stringify(path)}, 'pdf', reading);
      await document.readPage(1);
      process.stdout.write('done');
      setInterval(() => {}, 1_000);`,
    );
    return spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  const untilEnded = (id: number) =>
    poll(
      () => commandLine(id),
      (line) => line === '',
    );

  it('ends at once while it has nothing to do', { tags: 'exhaustive' }, async () => {
    const parent = startParent(fileOf(rawPdf([greyPage(90)])));
    await once(parent.stdout as Readable, 'data');
    const [id = 0] = processesFor('pages-process', parent.pid);

    parent.kill('SIGKILL');

    await untilEnded(id);
  });

  it('ends within its processor time while it draws a page for ever', {
    tags: 'exhaustive',
  }, async () => {
    const parent = startParent(endless);
    const id = await busyFor(1, 'pages-process', parent.pid);

    parent.kill('SIGKILL');

    await untilEnded(id);
  });
});

it("a page that takes all of its time keeps no other key's pages waiting, and is not drawn again", async () => {
  const slow = { process: own, ms: 4_000 };
  const document = await openInProcess(slow, endless, 'pdf', readingOf('a'));
  const quick = await openFor('b', fileOf(rawPdf(greys(4))));
  // At once, so that both processes have started, and loaded what draws, before one of them is busy.
  await Promise.all([read(document, 2), read(quick, 1)]);
  let isOver = false;
  const endlessly = read(document, 1).finally(() => {
    isOver = true;
  });
  const others = read(document, 2);
  await busyFor(0.5, 'pages-process');

  for (let page = 1; page <= 4; page++) expect(await read(quick, page)).toBe('jpeg');

  expect(isOver).toBe(false);
  expect(await endlessly).toBe("422 Page 1 can't be read: it takes too long to read.");
  const lost = writtenLines().filter((line) => line.includes('document process lost'));
  expect(lost).toEqual([expect.stringContaining('"loss":"time"')]);
  expect(await others).toBe('jpeg');
});

describe('a process that the machine leaves waiting', () => {
  it('gets the time of its request again', async () => {
    const path = fileOf(rawPdf([greyPage(90)]));
    const document = await openInProcess({ process: own, ms: 2_000 }, path, 'pdf', readingOf('a'));

    for (const id of processesFor('pages-process')) process.kill(id, 'SIGSTOP');
    const reading = read(document, 1);
    await setTimeout(2_500);
    // One that has been idle for long is ended meanwhile.
    for (const id of processesFor('pages-process')) process.kill(id, 'SIGCONT');

    expect(await reading).toBe('jpeg');
  });

  it('is given up in the end', async () => {
    const path = fileOf(rawPdf([greyPage(90)]));
    await openFor('a', path);

    for (const id of processesFor('pages-process')) process.kill(id, 'SIGSTOP');
    const opening = openInProcess({ process: own, ms: 100 }, path, 'pdf', readingOf('a'));

    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining('too long') });
  });
});
