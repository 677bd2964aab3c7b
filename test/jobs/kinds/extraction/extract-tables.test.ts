import { expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import { greyJpeg } from '../../../support/fixtures/small-documents.ts';
import { pass, stopClock } from '../../../support/worlds/clock.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

const extract = { example: { shade: 'a' }, table: true };

function answerShades(): void {
  world.model.respond(({ messages }) => {
    const [, grey = ''] = JSON.stringify(messages).match(/grey (\d+)/) ?? [];
    const shade = { value: grey, quote: grey, page: 1 };
    return { kind: 'answer', content: JSON.stringify({ shade }) };
  });
}

const textOf = async (name: string) => world.contentOf(await world.idOf(name));

async function newFolder(name: string, greys: number[]) {
  for (const grey of greys) world.drive.put(`${name}/scan-${grey}.jpg`, await greyJpeg(grey));
  const id = await world.idOf(name);
  return { id, caller: await world.newCaller({ drive_folders: [id] }) };
}

const submit = (caller: Caller, folder_id: string, rest = {}) =>
  world.submit(caller, { job_type: 'auto', drive: { folder_id }, extract, ...rest });

it('a table of one document lies beside it', async () => {
  const caller = await world.newCaller();
  answerShades();
  const drive = { file_id: await world.add('alone.jpg', await greyJpeg(70)) };

  const { id } = await world.submit(caller, { job_type: 'auto', drive, extract });
  await world.work();

  expect(await world.read(caller, id)).toMatchObject({
    status: 'done',
    drive_result_file_id: await world.idOf('alone.jpg.extract.json'),
  });
  const link = `https://drive.google.com/file/d/${drive.file_id}/view#page=1`;
  expect(await textOf('alone.jpg.extract.csv')).toBe(
    `document,shade,pages,links,not_found\r\nalone.jpg,70,1,${link},\r\n`,
  );
  expect(JSON.parse(await textOf('alone.jpg.extract.jsonl'))).toEqual({
    document: 'alone.jpg',
    data: { shade: '70' },
    pages: [1],
    links: [link],
    not_found: [],
  });
});

it('a folder’s table has a row for each document, in the order of their names', async () => {
  const { id, caller } = await newFolder('tabled', [110, 50, 90]);
  answerShades();

  const job = await submit(caller, id);
  await world.work();

  expect(await world.read(caller, job.id)).toMatchObject({
    status: 'done',
    drive_result_file_id: await world.idOf('tabled.extract.csv'),
    result: { type: 'folder', files: { done: 3 } },
  });
  const rows = (await textOf('tabled.extract.jsonl')).trim().split('\n');
  expect(rows.map((row) => JSON.parse(row).data.shade)).toEqual(['50', '90', '110']);
});

it('a folder’s table grows as its files are done, at most each half a minute', async () => {
  stopClock();
  const { id, caller } = await newFolder('growing', [50, 60, 70, 80]);
  answerShades();
  await submit(caller, id);
  await world.runOnly('folder');
  const rows = async () => (await textOf('growing.extract.jsonl')).trim().split('\n').length;

  await world.runOnly('ocr');
  await world.runOnly('chat');
  await world.dispatch();
  await world.runOnly('ocr');
  const soon = await rows();
  pass(31_000);
  await world.work();

  expect(soon).toBeLessThan(4);
  expect(await rows()).toBe(4);
});

it('a folder that is taken again does only files that were not asked for the same fields', async () => {
  const { id, caller } = await newFolder('twice', [50, 60]);
  answerShades();
  await submit(caller, id);
  await world.work();
  world.drive.put('twice/scan-70.jpg', await greyJpeg(70));

  const again = await submit(caller, id);
  const other = await submit(caller, id, { extract: { example: { shade: 'a', word: 'a' } } });
  await world.work();

  expect((await world.read(caller, again.id)).result).toMatchObject({
    files: { found: 3, done: 1, skipped: 2 },
  });
  expect((await world.read(caller, other.id)).result).toMatchObject({ files: { done: 3 } });
});
