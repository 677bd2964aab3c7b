import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../shared/ocr/layout.ts';
import {
  block,
  columnBlocks,
  type LinePlace,
  lineBlocks,
  turned,
} from '../support/fixtures/blocks.ts';

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

const rowsOf = (pattern: string): [isThere: boolean, isShort: boolean][] =>
  [...pattern].map((row) => [row !== '.', row === 's']);
/** Lines between two columns of which one belongs to them only while the others do. */
const lostOnce = [
  rowsOf('.....slllll.'),
  rowsOf('...s.sl.lll'),
  [
    [6, 8],
    [15, 5],
    [9, 8],
  ],
] satisfies [unknown, unknown, [number, number][]];

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

  it.each([0, 0.006, 0.012])(
    'reads columns that run on beside a caption, wherever its lines stand (%f)',
    (lower) => {
      const caption = columnBlocks(['The pier', 'in June'], [0.44, 0.225 + lower, 0.56]);
      const beside = (text: string) => text.slice(0, 22);
      const narrow = [1, 2, 3];
      const blocks = [...left, ...left].flatMap((_, index) => {
        const [one = '', other = ''] = [left[index % 4], right[index % 4]];
        const isBeside = narrow.includes(index);
        const top = 0.2 + index * 0.025;
        return [
          ...lineBlocks(isBeside ? beside(one) : one, [0.1, top, isBeside ? 0.4 : 0.48]),
          ...lineBlocks(isBeside ? beside(other) : other, [isBeside ? 0.6 : 0.52, top, 0.9]),
        ];
      });

      const { text } = plainText([...caption, ...blocks]);

      const column = (lines: string[]) =>
        [...lines, ...lines]
          .map((line, index) => (narrow.includes(index) ? beside(line) : line))
          .join('\n');
      expect(text.replace(/\n+/g, '\n')).toBe(
        `${column(left)}\n${column(right)}\nThe pier\nin June`,
      );
    },
  );

  it('reads a caption beside a column that runs on, below one that has ended', () => {
    const caption = lineBlocks('The pier in June', [0.42, 0.32, 0.58]);
    const longer = [...left, ...left].flatMap((text, index) =>
      lineBlocks(text, [0.1, 0.2 + index * 0.025, index === 4 || index === 5 ? 0.4 : 0.48]),
    );

    const { text } = plainText([...longer, ...columnBlocks(right, [0.52, 0.2, 0.9]), ...caption]);

    expect(text.replace(/\n+/g, '\n')).toBe(
      [...left, ...left, ...right, 'The pier in June'].join('\n'),
    );
  });

  it('parts columns at a heading across them, also with a page number beside it', () => {
    const heading = [
      ...lineBlocks('Of the eastern breakwater', [0.3, 0.32, 0.7]),
      ...lineBlocks('12', [0.86, 0.32, 0.9]),
    ];
    const below = [left, right].flatMap((lines, column) =>
      columnBlocks(lines, [column ? 0.52 : 0.1, 0.36, column ? 0.9 : 0.48]),
    );

    const { text } = plainText([...twoColumns, ...heading, ...below]);

    expect(text.replace(/\n+/g, '\n')).toBe(
      [...left, ...right, 'Of the eastern breakwater\t12', ...left, ...right].join('\n'),
    );
  });

  it('keeps the rows of a table whose middle column stands in a gutter', () => {
    const cells = ['Item', 'Piles', 'Divers', 'Paint'];
    const blocks = cells.flatMap((cell, index) => [
      ...lineBlocks(`${cell} bought`, [0.1, 0.2 + index * 0.025, 0.3]),
      ...lineBlocks(`${index} times`, [0.4, 0.2 + index * 0.025, 0.6]),
      ...lineBlocks(`${index}00.00`, [0.7, 0.2 + index * 0.025, 0.8]),
    ]);

    const { text } = plainText(blocks);

    expect(text).toBe(
      cells.map((cell, index) => `${cell} bought\t${index} times\t${index}00.00`).join('\n'),
    );
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

  it('joins words that stand near, though rivers between lines that are alike parted them', () => {
    const blocks = [0.2, 0.225, 0.25].flatMap((top) => [
      ...lineBlocks('The committee', [0.1, top, 0.3]),
      ...lineBlocks('met on Tuesday', [0.307, top, 0.5]),
    ]);

    const { text } = plainText(blocks);

    expect(text).toBe(Array.from({ length: 3 }, () => 'The committee met on Tuesday').join('\n'));
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

  it('has each line once, wherever lines stand in columns and between them', () => {
    /** Whether each row of a column is there, and whether it is short. */
    const column = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 4, maxLength: 16 });
    /** Half rows from the top, and twentieths of the page's width. */
    const between = fc.array(fc.tuple(fc.nat(32), fc.integer({ min: 5, max: 9 })), {
      maxLength: 5,
    });

    fc.assert(
      fc.property(column, column, between, (one, other, lines) => {
        const texts: string[] = [];
        const print = (place: LinePlace) => {
          texts.push(`line-${texts.length}-with-some-words`);
          return lineBlocks(texts.at(-1) ?? '', place);
        };
        const blocks = [one, other].flatMap((rows, isRight) =>
          rows.flatMap(([isThere, isShort], row) => {
            if (!isThere) return [];
            const [left, right] = isRight
              ? [isShort ? 0.62 : 0.52, 0.9]
              : [0.1, isShort ? 0.38 : 0.48];
            return print([left, 0.1 + row * 0.025, right]);
          }),
        );
        const across = lines.flatMap(([halfRows, left]) =>
          print([left / 20, 0.1 + halfRows * 0.0125, 1 - left / 20 + 0.02]),
        );

        const { text } = plainText([...blocks, ...across]);

        expect(text.split(/\s+/).filter(Boolean).sort()).toEqual(texts.sort());
      }),
      { examples: [[...lostOnce]], numRuns: 1000 },
    );
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
