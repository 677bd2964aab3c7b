import { brokenPicturePage, rawPdf } from '../../support/fixtures/poison.ts';
import { Paper } from './paper.ts';
import type { SetDocument } from './truth.ts';

const text = { type: 'string' };

const stockSchema = {
  type: 'object',
  properties: {
    warehouse: text,
    counted: { type: 'string', format: 'date' },
    stock: {
      type: 'array',
      items: {
        type: 'object',
        properties: { article: text, shelf: text, pieces: { type: 'integer' } },
        required: ['article', 'shelf', 'pieces'],
      },
    },
  },
  required: ['warehouse', 'stock'],
};

const stock = (n: number) => ({
  article: `Valve DN${10 + n * 5} ${n % 2 ? 'brass' : 'steel'}`,
  shelf: `${String.fromCharCode(65 + (n % 8))}-${10 + n}`,
  pieces: 3 + ((n * 31) % 200),
});

/** A table that breaks over three pages: its head is repeated on each, and a row stands on both sides of a note. */
export async function brokenTable(): Promise<SetDocument> {
  const paper = new Paper();
  let n = 0;
  for (const [index, count] of [22, 40, 9].entries()) {
    paper.sheet();
    let y = 50;
    if (index === 0) {
      paper.line(50, [{ x: 60, text: 'Stock list', bold: true }], 16);
      paper.line(80, [
        { x: 60, text: 'Warehouse' },
        { x: 130, text: 'Hull East', field: '/warehouse' },
      ]);
      paper.line(96, [
        { x: 60, text: 'Counted on' },
        { x: 130, text: 'May 5, 2026', field: '/counted', value: '2026-05-05' },
      ]);
      y = 400;
    }
    writeHead(paper, y);
    for (let row = 0; row < count; row++, n++) writeStock(paper, y + 20 + row * 17, n);
    if (index < 2) paper.line(790, [{ x: 430, text: 'continued on next page' }], 8);
  }
  const { values, rows, page: pages } = paper;
  return {
    file: 'stock-broken.pdf',
    bytes: await paper.bytes(),
    pages,
    schema: stockSchema,
    values,
    rows,
  };
}

function writeHead(paper: Paper, y: number): void {
  paper.line(
    y,
    [
      { x: 60, text: 'Article', bold: true },
      { x: 260, text: 'Shelf', bold: true },
      { x: 400, text: 'Pieces', bold: true },
    ],
    9,
  );
  paper.rule(y + 13);
}

function writeStock(paper: Paper, y: number, n: number): void {
  const { article, shelf, pieces } = stock(n);
  paper.row('/stock', y, [
    [
      { x: 60, text: article, field: 'article' },
      { x: 260, text: shelf, field: 'shelf' },
      { x: 400, text: `${pieces}`, field: 'pieces', value: pieces },
    ],
  ]);
}

/** A page that lies on its side: a wide table, turned when it is shown. */
export async function rotatedPage(): Promise<SetDocument> {
  const paper = new Paper().sheet({ rotate: 90 });
  paper.line(40, [{ x: 60, text: 'Stock list', bold: true }], 16);
  paper.line(70, [
    { x: 60, text: 'Warehouse' },
    { x: 130, text: 'Leith Dock', field: '/warehouse' },
  ]);
  paper.line(86, [
    { x: 60, text: 'Counted on' },
    { x: 130, text: '2026-06-30', field: '/counted' },
  ]);
  writeHead(paper, 120);
  for (let n = 0; n < 20; n++) writeStock(paper, 140 + n * 17, n + 100);
  const { values, rows } = paper;
  return {
    file: 'stock-rotated.pdf',
    bytes: await paper.bytes(),
    pages: 1,
    schema: stockSchema,
    values,
    rows,
  };
}

const letterSchema = {
  type: 'object',
  properties: { reference: text, amount_claimed: { type: 'number' }, contact: text },
  required: ['reference', 'amount_claimed', 'contact'],
};

/** A letter of four pages, the second of which is empty and the third a picture that nobody can decode. */
export async function damagedLetter(): Promise<SetDocument> {
  // What stands where is drawn twice: the second time by hand, as no writer of PDFs makes a damaged page.
  const paper = new Paper();
  const lines: Record<number, Parameters<Paper['line']>[1][]> = {
    1: [
      'Claims department',
      [
        { x: 60, text: 'Our reference' },
        { x: 160, text: 'CL-2026-0451', field: '/reference' },
      ],
      [
        { x: 60, text: 'Amount claimed' },
        { x: 160, text: '18,250.75', field: '/amount_claimed', value: 18_250.75 },
      ],
    ],
    4: [
      'Please reply within four weeks of the date of this letter, and quote our reference.',
      [
        { x: 60, text: 'Contact' },
        { x: 160, text: 'Priya Raman', field: '/contact' },
      ],
    ],
  };
  const written = (page: number) => () => {
    const content = (lines[page] ?? []).flatMap((line, n) =>
      (typeof line === 'string' ? [{ x: 60, text: line }] : line).map(
        ({ x, text }) => `BT /F1 10 Tf ${x} ${842 - (80 + n * 20) - 7.2} Td (${text}) Tj ET`,
      ),
    );
    return {
      content: content.join('\n'),
      resources: '/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>',
    };
  };
  for (let page = 1; page <= 4; page++) {
    paper.sheet();
    for (const [n, line] of (lines[page] ?? []).entries()) paper.line(80 + n * 20, line);
  }
  const bytes = rawPdf([written(1), () => ({ content: '' }), brokenPicturePage(), written(4)]);
  const { values, rows } = paper;
  return {
    ...{ file: 'letter-damaged.pdf', bytes, pages: 4, emptyPages: [2], failedPages: [3] },
    ...{ schema: letterSchema, values, rows },
  };
}
