import type { Block } from '@aws-sdk/client-textract';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../lib/local/textract/blocks.ts';
import type {
  Box,
  RecognizedBlock,
  RecognizedPage,
} from '../../../lib/local/textract/recognized-page.ts';
import { wordsAt } from '../../support/servers/textract.ts';

interface Print {
  text: string;
  left: number;
  top: number;
}

/** A block of one paragraph, its lines as given. */
function blockOf(prints: Print[], kind: RecognizedBlock['kind'] = 'text'): RecognizedBlock {
  const lines = prints.map(({ text, left, top }) => ({ words: wordsAt(text, left, top) }));
  return { kind, box: { x0: 0, y0: 0, x1: 1, y1: 1 }, paragraphs: [lines] };
}

const proseAt = (top: number): RecognizedBlock =>
  blockOf(
    [0, 30, 60].map((down) => ({
      text: 'the harbour trust met in the town hall to hear the engineer',
      left: 100,
      top: top + down,
    })),
  );

function read(page: Partial<RecognizedPage>, features: ('LAYOUT' | 'TABLES')[] = ['LAYOUT']) {
  const blocks = blocksOf({ width: 1_000, height: 1_400, blocks: [], ...page }, features);
  const byId = new Map(blocks.map((block) => [block.Id, block]));
  const children = ({ Relationships = [] }: Block) =>
    Relationships.flatMap(({ Ids = [] }) => Ids.flatMap((id) => byId.get(id) ?? []));
  const textOf = (block: Block): string => block.Text ?? children(block).map(textOf).join(' / ');
  const ofType = (start: string) => blocks.filter(({ BlockType }) => BlockType?.startsWith(start));
  return {
    layout: ofType('LAYOUT_').map((block) => [
      block.BlockType?.replace('LAYOUT_', ''),
      textOf(block),
    ]),
    tables: ofType('TABLE').map((table) => gridOf(children(table), children)),
    blocks,
    ofType,
  };
}

function gridOf(cells: Block[], children: (block: Block) => Block[]): string[][] {
  const textOf = (cell: Block) =>
    children(cell)
      .map(({ Text }) => Text)
      .join(' ');
  return [...Map.groupBy(cells, ({ RowIndex }) => RowIndex).values()].map((row) => row.map(textOf));
}

describe('layout', () => {
  it('puts a figure where the recognizer found one', () => {
    const figure: RecognizedBlock = {
      kind: 'figure',
      box: { x0: 100, y0: 500, x1: 600, y1: 900 },
      paragraphs: [],
    };

    const { layout } = read({ blocks: [proseAt(300), figure] });

    expect(layout.map(([kind]) => kind)).toEqual(['TEXT', 'FIGURE']);
  });

  it('of a page that lies askew is where the text is on it', () => {
    const { blocks, ofType } = read({ blocks: [proseAt(300)], skew: 0.02 });

    const [line] = ofType('LINE');
    const [start, end] = line?.Geometry?.Polygon ?? [];
    expect(blocks).not.toHaveLength(0);
    expect(((end?.Y ?? 0) - (start?.Y ?? 0)) * 1_400).toBeCloseTo(
      ((end?.X ?? 0) - (start?.X ?? 0)) * 1_000 * Math.tan(0.02),
    );
  });
});

const costs = [
  ['Item', 'Quantity', 'Total'],
  ['Fender piles, oak', '12', '17,400'],
  ['Divers', '3', '2,940'],
  ['Paint', '', '109'],
];

/** Rows of cells at fixed columns, of one line each. */
const printed = (rows: string[][], lefts: number[], top: number): Print[] =>
  rows.flatMap((row, down) =>
    row.flatMap((text, column) =>
      text ? [{ text, left: lefts[column] as number, top: top + down * 40 }] : [],
    ),
  );

/** The rules of a table whose first line is printed at 500. */
const rulesAround = (xs: number[], rows: number): Box[] => [
  ...Array.from({ length: rows + 1 }, (_, row) => 490 + row * 40).map((y) => ({
    ...{ x0: xs[0] ?? 0, x1: xs.at(-1) ?? 0, y0: y, y1: y + 2 },
  })),
  ...xs.map((x) => ({ x0: x, x1: x + 2, y0: 490, y1: 492 + rows * 40 })),
];
const costRules = rulesAround([90, 490, 690, 900], 4);

describe('tables', () => {
  it('are found where rules are drawn around cells', () => {
    const block = blockOf(printed(costs, [100, 500, 700], 500));

    const { tables, layout } = read({ blocks: [proseAt(300), block], rules: costRules }, [
      'LAYOUT',
      'TABLES',
    ]);

    expect(tables).toEqual([costs]);
    expect(layout.map(([kind]) => kind)).toEqual(['TEXT', 'TABLE']);
  });

  it('keep heading and text above and below out', () => {
    const block = blockOf([
      { text: 'These are the costs', left: 100, top: 400 },
      ...printed(costs, [100, 500, 700], 500),
      { text: 'All of it was spent', left: 100, top: 760 },
    ]);

    const { layout } = read({ blocks: [block], rules: costRules });

    expect(layout.map(([kind]) => kind)).toEqual(['TEXT', 'TABLE', 'TEXT']);
  });

  it('follow the rules drawn around cells, empty ones too', () => {
    const cells = [
      ['Month', 'Ships', 'Remarks'],
      ['January', '31', ''],
      ['February', '28', 'two days closed'],
    ];
    const rules = rulesAround([90, 300, 500, 900], 3);
    const block = blockOf(printed(cells, [100, 310, 510], 500));

    const { tables } = read({ blocks: [block], rules }, ['TABLES']);

    expect(tables).toEqual([cells]);
  });

  it('have cells with their place in the grid and spans of one', () => {
    const block = blockOf(printed(costs, [100, 500, 700], 500));

    const { ofType } = read({ blocks: [block], rules: costRules }, ['TABLES']);

    expect(ofType('CELL')).toHaveLength(12);
    expect(ofType('CELL')[4]).toMatchObject({
      RowIndex: 2,
      ColumnIndex: 2,
      RowSpan: 1,
      ColumnSpan: 1,
    });
    expect(ofType('CELL')[0]).toMatchObject({ EntityTypes: ['COLUMN_HEADER'] });
  });
});
