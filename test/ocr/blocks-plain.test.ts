import { describe, expect, it } from 'vitest';
import { plainText } from '../../shared/ocr/layout.ts';
import { block, columnBlocks, lineBlocks, turned } from '../support/fixtures/blocks.ts';

const left = [
  'The committee met in the town hall',
  'on Thursday evening to consider the',
  'accounts of the harbour trust for',
  'the year that ended in March.',
];
const right = [
  'The engineer told of the eastern',
  'breakwater, which was damaged by',
  'the storms of last winter and again',
  'by the collision in June.',
];

/** Two columns as Textract gives them: line by line through both. */
const twoColumns = left.flatMap((text, index) => [
  ...lineBlocks(text, [0.1, 0.2 + index * 0.025, 0.46]),
  ...lineBlocks(right[index] as string, [0.54, 0.201 + index * 0.025, 0.9]),
]);

describe('the plain text of a page', () => {
  it('keeps its lines, and a blank line between paragraphs', () => {
    const blocks = [
      ...columnBlocks(['One line', 'and another.'], [0.1, 0.1, 0.5]),
      ...columnBlocks(['A new paragraph', 'of two lines.'], [0.1, 0.2, 0.5]),
    ];

    const { text } = plainText(blocks);

    expect(text).toBe('One line\nand another.\n\nA new paragraph\nof two lines.');
  });

  it('reads one column after the other', () => {
    const { text } = plainText(twoColumns);

    expect(text).toBe(`${left.join('\n')}\n\n${right.join('\n')}`);
  });

  it('reads what goes across the columns in its place', () => {
    const heading = lineBlocks('Minutes of the trust, from the secretary', [0.1, 0.1, 0.9]);
    const footnote = lineBlocks('All of it was read and agreed by those present', [0.1, 0.4, 0.9]);

    const { text } = plainText([...heading, ...twoColumns, ...footnote]);

    expect(text.split('\n\n')).toEqual([
      'Minutes of the trust, from the secretary',
      left.join('\n'),
      right.join('\n'),
      'All of it was read and agreed by those present',
    ]);
  });

  it('reads three columns', () => {
    const third = left.map((line) => line.toUpperCase());
    const blocks = left.flatMap((text, index) => [
      ...lineBlocks(text, [0.05, 0.2 + index * 0.025, 0.3]),
      ...lineBlocks(right[index] as string, [0.36, 0.2 + index * 0.025, 0.61]),
      ...lineBlocks(third[index] as string, [0.67, 0.2 + index * 0.025, 0.92]),
    ]);

    const { text } = plainText(blocks);

    expect(text).toBe([left, right, third].map((lines) => lines.join('\n')).join('\n\n'));
  });

  it('keeps the rows of a table, with tabs', () => {
    const rows = [
      ['Item', 'Total'],
      ['Piles', '17,400'],
      ['Divers', '2,940'],
      ['Paint', '109'],
    ];
    const blocks = rows.flatMap(([item = '', total = ''], index) => [
      ...lineBlocks(item, [0.1, 0.2 + index * 0.025, 0.2]),
      ...lineBlocks(total, [0.5, 0.2 + index * 0.025, 0.6]),
    ]);

    const { text } = plainText(blocks);

    expect(text).toBe('Item\tTotal\nPiles\t17,400\nDivers\t2,940\nPaint\t109');
  });

  it('puts a page number below columns last', () => {
    const number = lineBlocks('5', [0.49, 0.9, 0.51]);

    const { text } = plainText([...twoColumns, ...number]);

    expect(text.split('\n\n').at(-1)).toBe('5');
  });

  it.each([1, 2, 3])('turned by %i quarters is read all the same', (quarters) => {
    const { text } = plainText(turned(twoColumns, quarters), 1);

    expect(text).toBe(`${left.join('\n')}\n\n${right.join('\n')}`);
  });

  it('that lies askew is read all the same', () => {
    const askew = twoColumns.map((each) => ({
      ...each,
      Geometry: {
        Polygon: each.Geometry?.Polygon?.map(({ X = 0, Y = 0 }) => ({
          X: X - 0.05 * Y,
          Y: Y + 0.05 * X,
        })),
      },
    }));

    const { text } = plainText(askew as never, 1);

    expect(text).toBe(`${left.join('\n')}\n\n${right.join('\n')}`);
  });

  it('of no words is empty, and nothing is said of its confidence', () => {
    const page = block('PAGE', [0, 0, 1], []);

    expect(plainText([page])).toEqual({ text: '', confidence: null });
  });

  it('tells the confidence of its words, each counted by its length', () => {
    const blocks = [
      ...lineBlocks('abc', [0.1, 0.1, 0.2], 100),
      ...lineBlocks('d', [0.1, 0.2, 0.2], 60),
    ];

    const { confidence } = plainText(blocks);

    expect(confidence).toBe(90);
  });
});
