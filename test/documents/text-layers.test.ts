import { expect, it } from 'vitest';
import { textLayersIn } from '../../shared/documents/parts/text-layers.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { rawPdf } from '../support/fixtures/poison.ts';
import { greyJpeg, words } from '../support/fixtures/small-documents.ts';
import { linesPage } from './lines-page.ts';
import { fileOf } from './open-bytes.ts';

const reading = { turn: 'key', losses: { count: 0 } };

it("each page's text layer is read: there is none on a scan, and an empty one on a blank page", async () => {
  const scan = await greyJpeg(120);
  const path = fileOf(
    await pdfOf([
      { text: words(1) },
      { scan, hiddenText: words(2) },
      { blank: true },
      { text: words(4) },
    ]),
  );

  const layers = await Array.fromAsync(textLayersIn(path, reading));

  expect(layers.map((layer) => layer?.text)).toEqual([words(1), undefined, '', words(4)]);
});

it('a damaged page has none, and the others are read', async () => {
  const file = Buffer.from(await pdfOf([{ text: words(1) }, { text: words(2) }]));
  const stream = file.indexOf('stream', file.indexOf('/FlateDecode'));
  file.fill(0, stream + 20, stream + 90);

  const layers = await Array.fromAsync(textLayersIn(fileOf(file), reading));

  expect(layers.filter((layer) => layer === undefined)).toHaveLength(1);
});

it('a page of 20,000 lines is read within the time for a page', {
  tags: 'exhaustive',
}, async () => {
  const file = rawPdf([linesPage(20_000)], [600, 120_000]);

  const [layer] = await Array.fromAsync(textLayersIn(fileOf(file), reading));

  expect(layer?.text.split('\n')).toHaveLength(20_000);
});

it('a page whose words stand ten million points apart is read like another', async () => {
  const farLine = 'BT /F1 40 Tf 9999000 400 Td (line) Tj ET';
  const page = (first: number) => {
    const { content, ...rest } = linesPage(20)(first);
    return { content: `${content}\n${farLine}`, ...rest };
  };
  const file = rawPdf([page], [10_000_000, 800]);

  const [layer] = await Array.fromAsync(textLayersIn(fileOf(file), reading));

  expect(layer?.text.split(/\s+/)).toEqual(Array(21).fill('line'));
});

it('a file that is no PDF is refused with 422', async () => {
  const layers = Array.fromAsync(textLayersIn(fileOf('no PDF'), reading));

  await expect(layers).rejects.toMatchObject({ statusCode: 422, code: 'unreadable_document' });
});
