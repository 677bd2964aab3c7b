import { beforeAll, expect, it } from 'vitest';
import type Vips from 'wasm-vips';
import { openImage } from '../../shared/documents/image.ts';
import { MemoryLimit } from '../../shared/documents/memory-limit.ts';
import { openPdf } from '../../shared/documents/pdf.ts';
import { SharedPdfium } from '../../shared/documents/shared-pdfium.ts';
import { loadVips } from '../../shared/documents/vips.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { report } from '../support/fixtures/sample-texts.ts';
import { cases } from '../support/run/cases.ts';
import { residentBytesOf } from '../support/servers/processes.ts';
import { fileOf, open } from './open-bytes.ts';

const text = report[0].text;
const size: [number, number] = [200, 280];
let vips: typeof Vips;

beforeAll(async () => {
  vips = await loadVips();
});

const noise = (seed: number) =>
  vips.Image.gaussnoise(600, 840, { mean: 200, sigma: 9, seed }).cast('uchar').jpegsaveBuffer();

it('reading page after page takes no more memory', { tags: 'exhaustive' }, async () => {
  const scan = noise(1);
  const pages = Array.from({ length: 10 }, () => [{ scan, size }, { text }]).flat();
  const document = await open(await pdfOf(pages), 'pdf');
  const readAll = async () => {
    for (let page = 1; page <= document.pageCount; page++) await document.readPage(page);
  };
  for (let round = 0; round < 4; round++) await readAll();
  const before = residentBytesOf(process.pid);

  for (let round = 0; round < 10; round++) await readAll();

  // The pixels of these 200 pages, had they stayed, would be 100 MB.
  expect((residentBytesOf(process.pid) - before) / 1e6).toBeLessThan(60);
});

it('opening file after file leaves nothing behind', async () => {
  const picture = fileOf(noise(1));
  const pdf = fileOf(await pdfOf([{ text }]));
  const limit = new MemoryLimit(2_048);
  const engines = { pdfium: new SharedPdfium(limit), vips: async () => vips };
  const readAll = async () => {
    // Here, not in their process, whose memory can't be seen.
    for (const opened of [openImage(picture, vips), openPdf(pdf, engines)]) {
      const document = await opened;
      await document.readPage(1, { forceOcr: true });
      document.close();
    }
  };
  await readAll();
  const { allocations, files: filesOpen } = vips.Stats;
  const before = allocations();

  const rounds = cases(4, 20);
  for (let round = 0; round < rounds; round++) await readAll();

  // What each round left would be as many as the rounds. When the engine gives back the last picture is up to it.
  expect(allocations() - before).toBeLessThan(rounds);
  expect(filesOpen()).toBe(0);
});

it('a document larger than what is kept of it reads the same from end to end and back', {
  tags: 'exhaustive',
}, async () => {
  const padding = Buffer.alloc(5_000_000);
  const scans = Array.from({ length: 10 }, (_, seed) => ({
    scan: Buffer.concat([noise(seed), padding]),
    size,
  }));
  const bytes = await pdfOf(scans);
  const document = await open(bytes, 'pdf');
  const read = async (page: number) => (await document.readPage(page)).jpeg;

  const first = await read(1);
  for (let page = 2; page <= 10; page++) await read(page);
  const again = await read(1);
  const second = await read(2);

  expect(bytes.length).toBeGreaterThan(50_000_000);
  expect(again).toEqual(first);
  expect(second).not.toEqual(first);
});
