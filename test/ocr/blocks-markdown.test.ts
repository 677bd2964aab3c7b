import { describe, expect, it } from 'vitest';
import { markdown } from '../../shared/ocr/layout.ts';
import {
  block,
  columnBlocks,
  layoutBlock,
  lineBlocks,
  tableBlocks,
  turned,
} from '../support/fixtures/blocks.ts';

const title = lineBlocks('Annual Report', [0.1, 0.05, 0.6]);
const heading = lineBlocks('What was done', [0.1, 0.1, 0.5]);
const prose = columnBlocks(
  ['The committee recon-', 'structed the eastern', 'breakwater.'],
  [0.1, 0.15, 0.5],
);

describe('Markdown of the layout', () => {
  it('has headings, and paragraphs of joined lines', () => {
    const blocks = [
      ...title,
      ...heading,
      ...prose,
      layoutBlock('TITLE', title),
      layoutBlock('SECTION_HEADER', heading),
      layoutBlock('TEXT', prose),
    ];

    const { text } = markdown(blocks);

    expect(text).toBe(
      '# Annual Report\n\n## What was done\n\nThe committee reconstructed the eastern breakwater.',
    );
  });

  it("follows Textract's order, whatever that of the lines", () => {
    const blocks = [
      ...prose,
      ...title,
      ...heading,
      layoutBlock('SECTION_HEADER', heading),
      layoutBlock('TITLE', title),
      layoutBlock('TEXT', prose),
    ];

    const { text } = markdown(blocks);

    expect(text.split('\n\n').slice(0, 2)).toEqual(['## What was done', '# Annual Report']);
  });

  it('has lists, with their bullets or numbers', () => {
    const bullets = columnBlocks(['• Replace the piles', 'Paint the light'], [0.1, 0.2, 0.5]);
    const numbers = columnBlocks(
      ['1. Close the berth', '2) Report', 'to the trust'],
      [0.1, 0.3, 0.5],
    );
    const [first, second] = bullets.filter(({ BlockType }) => BlockType === 'LINE');
    const [one, two, three] = numbers.filter(({ BlockType }) => BlockType === 'LINE');
    const items = [[first], [second]].map((lines) => layoutBlock('TEXT', lines as never));
    const steps = [[one], [two, three]].map((lines) => layoutBlock('TEXT', lines as never));
    const blocks = [
      ...bullets,
      ...numbers,
      layoutBlock('LIST', items),
      ...items,
      layoutBlock('LIST', steps),
      ...steps,
    ];

    const { text } = markdown(blocks);

    expect(text).toBe(
      '- Replace the piles\n- Paint the light\n\n1. Close the berth\n2. Report to the trust',
    );
  });

  it('keeps the lines of an address', () => {
    const address = [
      ...lineBlocks('DEMO Invoices', [0.1, 0.1, 0.3]),
      ...lineBlocks('Suite 5', [0.1, 0.125, 0.2]),
      ...lineBlocks('Your City', [0.1, 0.15, 0.22]),
    ];

    const { text } = markdown([...address, layoutBlock('TEXT', address)]);

    expect(text).toBe('DEMO Invoices\nSuite 5\nYour City');
  });

  it('loses no line that Textract put into no part of the layout', () => {
    const lost = lineBlocks('Left out', [0.1, 0.125, 0.3]);
    const blocks = [
      ...heading,
      ...lost,
      ...prose,
      layoutBlock('SECTION_HEADER', heading),
      layoutBlock('TEXT', prose),
    ];

    const { text } = markdown(blocks);

    expect(text.split('\n\n').slice(0, 2)).toEqual(['## What was done', 'Left out']);
  });

  it('does not take a paragraph for a heading for its sign', () => {
    const line = lineBlocks('# 12 of the plan', [0.1, 0.1, 0.5]);

    const { text } = markdown([...line, layoutBlock('TEXT', line)]);

    expect(text).toBe('\\# 12 of the plan');
  });

  it('of an empty page is empty', () => {
    expect(markdown([block('PAGE', [0, 0, 1], [])])).toEqual({ text: '', confidence: null });
  });
});

const rows = [
  ['Item', 'Total'],
  ['Piles | oak', '17,400'],
  ['Divers', '2,940'],
].map((row, down) =>
  row.map((text, column) =>
    lineBlocks(text, [0.1 + column * 0.4, 0.3 + down * 0.025, 0.3 + column * 0.4]),
  ),
);
const tableText = '| Item | Total |\n| --- | --- |\n| Piles \\| oak | 17,400 |\n| Divers | 2,940 |';

describe('Markdown of tables', () => {
  it('has their cells, escaped, and their text nowhere else', () => {
    const blocks = [
      ...heading,
      ...rows.flat(2),
      ...tableBlocks(rows, [0.1, 0.3, 0.7]),
      layoutBlock('SECTION_HEADER', heading),
      layoutBlock('TABLE', rows.flat(2)),
    ];

    const { text } = markdown(blocks);

    expect(text).toBe(`## What was done\n\n${tableText}`);
  });

  it.each([1, 2, 3])('on a page turned by %i quarters are the same', (quarters) => {
    const blocks = [...prose, ...rows.flat(2), ...tableBlocks(rows, [0.1, 0.3, 0.7])];

    const { text } = markdown(turned(blocks, quarters), 1);

    expect(text).toBe(`The committee reconstructed the eastern breakwater.\n\n${tableText}`);
  });

  it('without cells is made from where their lines stand', () => {
    const { text } = markdown([...rows.flat(2), layoutBlock('TABLE', rows.flat(2))]);

    expect(text).toBe(tableText);
  });

  it('without a layout has them among the paragraphs', () => {
    const after = columnBlocks(['All of it was', 'spent.'], [0.1, 0.5, 0.4]);
    const blocks = [...prose, ...rows.flat(2), ...after, ...tableBlocks(rows, [0.1, 0.3, 0.7])];

    const { text } = markdown(blocks);

    expect(text).toBe(
      `The committee reconstructed the eastern breakwater.\n\n${tableText}\n\nAll of it was spent.`,
    );
  });

  it('keeps the lines of a part that are in none of its cells', () => {
    const note = lineBlocks('Amounts in pounds', [0.1, 0.45, 0.4]);
    const blocks = [
      ...rows.flat(2),
      ...note,
      ...tableBlocks(rows, [0.1, 0.3, 0.7]),
      layoutBlock('TABLE', [...rows.flat(2), ...note]),
    ];

    const { text } = markdown(blocks);

    expect(text).toBe(`${tableText}\n\nAmounts in pounds`);
  });

  it('puts the text of merged cells into the first, and ticks into their boxes', () => {
    const name = lineBlocks('Both of them', [0.1, 0.3, 0.5]);
    const [first, second] = [name.slice(0, 2), name.slice(2)];
    const ticks = (['SELECTED', 'NOT_SELECTED'] as const).map((SelectionStatus) => [
      block('SELECTION_ELEMENT', [0.1, 0.32, 0.2], [], { SelectionStatus }),
    ]);
    const [table, ...cells] = tableBlocks([[first, second], ticks], [0.1, 0.3, 0.7]);
    const merged = block('MERGED_CELL', [0.1, 0.3, 0.7], cells.slice(0, 2));
    table?.Relationships?.push({ Type: 'MERGED_CELL', Ids: [merged.Id] });

    const { text } = markdown([...name, ...ticks.flat(), table as never, ...cells, merged]);

    expect(text).toBe('| Both of them |  |\n| --- | --- |\n| [x] | [ ] |');
  });
});

it('a tick in a cell stands before the words that it is set to', () => {
  const tick = (left: number, top: number, SelectionStatus: 'SELECTED' | 'NOT_SELECTED') =>
    block('SELECTION_ELEMENT', [left, top, left + 0.02], [], { SelectionStatus });
  const head = lineBlocks('Insured', [0.1, 0.27, 0.3]);
  const [yes, no] = [lineBlocks('Yes', [0.15, 0.3, 0.2]), lineBlocks('No', [0.3, 0.3, 0.35])];
  const later = lineBlocks('Asked for', [0.15, 0.33, 0.35]);
  const ticks = [
    tick(0.26, 0.305, 'NOT_SELECTED'),
    tick(0.1, 0.295, 'SELECTED'),
    tick(0.1, 0.33, 'NOT_SELECTED'),
  ];
  const cells = [[head], [[...yes, ...no, ...later, ...ticks]]];
  const table = tableBlocks(cells, [0.1, 0.27, 0.5]);

  const { text } = markdown([...head, ...yes, ...no, ...later, ...ticks, ...table]);

  expect(text).toBe('| Insured |\n| --- |\n| [x] Yes [ ] No [ ] Asked for |');
});

describe('a word parted at the end of a line', () => {
  const joined = (...lines: string[]) => {
    const blocks = columnBlocks(lines, [0.1, 0.1, 0.5]);
    return markdown([...blocks, layoutBlock('TEXT', blocks)]).text;
  };

  it.each([
    ['is made whole', ['the recon-', 'structed wall'], 'the reconstructed wall'],
    ['keeps the hyphen of a name', ['the Anglo-', 'Saxon wall'], 'the Anglo-Saxon wall'],
    ['keeps the hyphen after self', ['its self-', 'attention'], 'its self-attention'],
    ['keeps that between numbers', ['from 2019-', '2020 on'], 'from 2019-2020 on'],
    [
      'keeps the hyphen that it has elsewhere on the page',
      ['a multi-modal', 'or multi-', 'modal model'],
      'a multi-modal or multi-modal model',
    ],
    ['is no dash', ['the wall -', 'of stone'], 'the wall - of stone'],
  ])('%s', (_what, lines, text) => {
    expect(joined(...lines)).toBe(text);
  });
});
