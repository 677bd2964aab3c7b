import {
  AnalyzeDocumentCommand,
  type Block,
  DetectDocumentTextCommand,
} from '@aws-sdk/client-textract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, startEngineThread } from '../../../lib/local/engines/engine.ts';
import { plainText } from '../../../shared/ocr/layout.ts';
import { heightToWidth } from '../../../shared/ocr/textract.ts';
import { characterErrorRate, scanOf } from '../../support/fixtures/scans.ts';
import { some } from '../../support/run/cases.ts';
import { poll } from '../../support/servers/poll.ts';
import { jpegHeader, textractClient } from '../../support/servers/textract.ts';
import { startTestTextract } from '../../support/servers/textract-faults.ts';
import { printedTable } from './printed-table.ts';

const thread = new URL('../../../lib/local/textract/textract-thread.ts', import.meta.url);

const ships = [
  ['Month', 'Ships', 'Tonnage'],
  ['January', '31', '12,400'],
  ['February', '28', ''],
  ['March', '40', '16,020'],
];

const sentence =
  'The committee met in the town hall to consider the accounts of the harbour trust for the year, ' +
  'and heard from the engineer of the eastern breakwater, which the storms had damaged twice. ';
const minutesOf = (sentences: number) =>
  Array.from({ length: 4 }, () => sentence.repeat(sentences).trim()).join('\n');
const minutes = minutesOf(5);
/** Less to read: a page that does not lie upright is read up to three times. */
const fewMinutes = minutesOf(2);

let page: Uint8Array;

beforeAll(async () => {
  page = await printedTable('Ships in the harbour', ships);
});

describe('Textract in a thread of its own', () => {
  let server: Engine;

  beforeAll(async () => {
    server = await startEngineThread(thread, {});
  });
  afterAll(() => server.close());

  it('reads a heading and every row of a ruled table', { tags: 'exhaustive' }, async () => {
    const { Blocks = [] } = await textractClient(server.url).send(
      new AnalyzeDocumentCommand({ Document: { Bytes: page }, FeatureTypes: ['LAYOUT', 'TABLES'] }),
    );

    const layout = Blocks.filter(({ BlockType }) => BlockType?.startsWith('LAYOUT_'));
    expect(layout.map(({ BlockType }) => BlockType)).toEqual(['LAYOUT_TEXT', 'LAYOUT_TABLE']);
    expect(Blocks.find(({ BlockType }) => BlockType === 'LINE')?.Text).toBe('Ships in the harbour');
    expect(cellsOf(Blocks)).toEqual(ships.flat());
  });

  it('reads two columns on grainy paper that lies askew', { tags: 'exhaustive' }, async () => {
    const scan = { columns: 2, noise: 30, blur: 1.2, skewDegrees: -2, dpi: 200 } as const;
    const bytes = await scanOf({ text: minutes, ...scan });

    const { Blocks = [] } = await textractClient(server.url).send(
      new DetectDocumentTextCommand({ Document: { Bytes: bytes } }),
    );

    const { text, confidence } = plainText(Blocks);
    expect(characterErrorRate(minutes, text)).toBeLessThan(0.03);
    expect(confidence).toBeGreaterThan(80);
  });

  it.each(some(1, [90, 180, 270] as const))(
    'reads two columns that lie turned by %i°',
    { tags: 'exhaustive' },
    async (degrees) => {
      const scan = { noise: 8, skewDegrees: 1, dpi: 150, turnDegrees: degrees } as const;
      const columns = { columns: 2, columnHeight: 260 } as const;
      const bytes = await scanOf({ text: fewMinutes, ...columns, ...scan });

      const { Blocks = [] } = await textractClient(server.url).send(
        new DetectDocumentTextCommand({ Document: { Bytes: bytes } }),
      );

      const { text, confidence } = plainText(Blocks, heightToWidth(bytes));
      expect(characterErrorRate(fewMinutes, text)).toBeLessThan(0.01);
      expect(confidence).toBeGreaterThan(90);
      const [line] = Blocks.filter(({ BlockType }) => BlockType === 'LINE');
      const { Width = 0, Height = 0 } = line?.Geometry?.BoundingBox ?? {};
      expect(Height > Width, 'lines run as they do on the image').toBe(degrees !== 180);
    },
  );

  it('refuses what only looks like a JPEG', async () => {
    const command = new DetectDocumentTextCommand({ Document: { Bytes: jpegHeader() } });

    const refused = textractClient(server.url).send(command);

    await expect(refused).rejects.toMatchObject({ name: 'UnsupportedDocumentException' });
  });
});

it('Textract ends in the middle of a page', async () => {
  const server = await startTestTextract();
  const command = new DetectDocumentTextCommand({ Document: { Bytes: page } });
  const asked = textractClient(server.url).send(command);
  const end = asked.then(
    () => 'read',
    ({ code }: { code?: string }) => code,
  );
  await poll(
    () => server.meter.report(),
    ({ total }) => total > 0,
  );

  await server.close();

  expect(await end).toBe('ECONNRESET');
});

function cellsOf(blocks: Block[]): string[] {
  const texts = new Map(blocks.map(({ Id, Text }) => [Id, Text]));
  return blocks
    .filter(({ BlockType }) => BlockType === 'CELL')
    .map(({ Relationships = [] }) =>
      Relationships.flatMap(({ Ids = [] }) => Ids.map((id) => texts.get(id))).join(' '),
    );
}
