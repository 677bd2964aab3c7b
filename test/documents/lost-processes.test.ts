import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { AttachedFile } from '../../shared/documents/attached/attached-file.ts';
import { readAttached } from '../../shared/documents/attached/read-attached.ts';
import { takeApart, takingProcess } from '../../shared/documents/parts/take-apart.ts';
import type { Caller } from '../../shared/http/caller.ts';
import { docxOf, wordParagraph } from '../support/fixtures/office-files.ts';
import { crowdedArchive, rawPdf, shadingPage } from '../support/fixtures/poison.ts';
import { smallPdf, words } from '../support/fixtures/small-documents.ts';
import { writtenLines } from '../support/run/output.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { useFreshHour } from '../support/worlds/clock.ts';
import { expectPaid } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { killDrawer } from './busy-processes.ts';
import { fileOf } from './open-bytes.ts';

const world = await useDocumentWorld();
useFreshHour();
const folder = useFolder();
/** It has little memory. */
const scarce = takingProcess(64);
afterAll(() => scarce.end());

const letter = docxOf(wordParagraph('A letter'));

const takeApartScarce = (bytes: Uint8Array) =>
  takeApart(
    {
      path: fileOf(bytes),
      kind: 'archive',
      folder: mkdtempSync(join(folder, 'parts-')),
      forceOcr: false,
    },
    { turn: 'key' },
    { process: scarce },
  );

it('a document that takes more memory than there is ends two processes of its own, in silence, and nothing else', async () => {
  const [crowded, beside] = await Promise.allSettled([
    takeApartScarce(crowdedArchive(500_000)),
    takeApartScarce(letter),
  ]);

  expect(crowded).toMatchObject({
    reason: {
      code: 'unreadable_document',
      message: "The document can't be read: it takes too much memory to read.",
    },
  });
  expect(beside).toMatchObject({ value: [{ text: 'A letter' }] });
  const lost = expect.stringMatching(/"message":"document process lost".*"loss":"memory"/);
  // Files before this one may say something late.
  expect(writtenLines().filter((line) => line.includes('lost'))).toEqual([lost, lost]);
});

const attached = (name: string, bytes: Uint8Array): AttachedFile => ({
  ...{ keyId: 'key_1', name, mimeType: '' },
  content: { base64: Buffer.from(bytes).toString('base64') },
  limits: { characters: 1_000_000, jsonBytes: 5_000_000, longer: 'refused' },
});

/** So many fill the heap nearly, before the text comes. */
it.each([2_550_000, 2_600_000, 2_650_000])(
  'a file of %i rows that is attached hurts none beside it',
  { tags: 'exhaustive' },
  async (rows) => {
    const [crowded, beside] = await Promise.all([
      readAttached(attached('rows.zip', crowdedArchive(rows))),
      readAttached(attached('letter.docx', letter)),
    ]);

    expect(crowded).toMatchObject({
      unreadable: expect.stringMatching(/^The document can't be read: /),
    });
    expect(beside).toEqual({ text: 'A letter' });
  },
);

async function submit(caller: Caller, name: string, bytes: Uint8Array): Promise<string> {
  const drive = { file_id: await world.add(name, bytes) };
  return (await world.submit(caller, { job_type: 'ocr', drive, max_retries: 10 })).id;
}

it.each<[string, () => [string, Uint8Array], () => Promise<unknown>]>([
  ['has too many rows', () => ['rows.zip', crowdedArchive(2_600_000)], async () => {}],
  [
    'loses two processes',
    () => ['endless.pdf', rawPdf([shadingPage(20_000)])],
    async () => {
      await killDrawer();
      await killDrawer();
    },
  ],
])(
  'a job whose document %s fails as unreadable, however often it may be tried, and the job beside it is done',
  { tags: 'exhaustive' },
  async (_, document, happens) => {
    const [attacker, victim] = [await world.newCaller(), await world.newCaller()];
    const poisoned = await submit(attacker, ...document());
    const other = await submit(
      victim,
      'paper.pdf',
      await smallPdf([{ words: words(1) }, { grey: 60 }]),
    );

    await Promise.all([world.work(), happens()]);

    expect(await world.read(attacker, poisoned)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^unreadable_document: /),
      retry_count: 0,
    });
    expect(await world.read(victim, other)).toMatchObject({ status: 'done', retry_count: 0 });
    await expectPaid([attacker], 0);
    await expectPaid([victim], 1);
  },
);
