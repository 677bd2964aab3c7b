import { Paper, type Piece } from './paper.ts';
import type { SetDocument } from './truth.ts';

const text = { type: 'string' };
const amount = { type: 'number' };
const date = { type: 'string', format: 'date' };

const invoiceSchema = {
  type: 'object',
  properties: {
    number: { ...text, description: 'The number of the invoice' },
    date: { ...date, description: 'When it was issued' },
    due: { ...date, description: 'By when it is to be paid' },
    seller: {
      type: 'object',
      properties: { name: text, vat_id: text },
      required: ['name', 'vat_id'],
    },
    currency: { type: 'string', enum: ['EUR', 'USD', 'GBP'] },
    lines: {
      type: 'array',
      description: 'What is invoiced, in order',
      items: {
        type: 'object',
        properties: {
          description: text,
          quantity: { type: 'integer' },
          unit_price: amount,
          total: amount,
        },
        required: ['description', 'quantity', 'unit_price', 'total'],
      },
    },
    net: amount,
    vat: amount,
    gross: { ...amount, description: 'What is to be paid' },
    order_number: { type: ['string', 'null'], description: "The buyer's order" },
  },
  required: ['number', 'date', 'seller', 'lines', 'gross'],
};

interface Item {
  description: string[];
  quantity: number;
  unitPrice: number;
}

const english = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2 });
const german = (value: number) => value.toLocaleString('de-DE', { minimumFractionDigits: 2 });
const right = (paper: Paper, edge: number, written: string, size = 9) =>
  edge - paper.width(written, size);

/** Columns at the right edges of the numbers, the seller on top: the layout of most. */
export async function plainInvoice(): Promise<SetDocument> {
  const paper = new Paper().sheet();
  paper.line(60, [{ x: 60, text: 'Harrow & Finch Ltd', field: '/seller/name', bold: true }], 14);
  paper.line(80, '12 Mill Lane, Leeds LS1 4AB');
  paper.line(94, [
    { x: 60, text: 'VAT' },
    { x: 84, text: 'GB 123 4567 82', field: '/seller/vat_id' },
  ]);
  paper.line(140, [
    { x: 60, text: 'Invoice number:' },
    { x: 150, text: 'INV-2041', field: '/number' },
  ]);
  paper.line(156, [
    { x: 60, text: 'Invoice date:' },
    { x: 150, text: '3 March 2026', field: '/date', value: '2026-03-03' },
  ]);
  paper.line(172, [
    { x: 60, text: 'Payment due:' },
    { x: 150, text: '2 April 2026', field: '/due', value: '2026-04-02' },
  ]);
  paper.line(188, [
    { x: 60, text: 'Your order:' },
    { x: 150, text: 'PO 7781/B', field: '/order_number' },
  ]);
  paper.line(204, [
    { x: 60, text: 'All amounts in' },
    { x: 150, text: 'GBP', field: '/currency' },
  ]);
  const items: Item[] = [
    { description: ['Oak door, 198 cm'], quantity: 4, unitPrice: 312.5 },
    { description: ['Brass hinge'], quantity: 24, unitPrice: 7.9 },
    {
      description: ['Door handle with rose,', 'satin finish, left and right'],
      quantity: 8,
      unitPrice: 41,
    },
    { description: ['Brass hinge'], quantity: 24, unitPrice: 7.9 },
    { description: ['Fitting on site, per day'], quantity: 2, unitPrice: 480 },
  ];
  headOf(paper, 240, ['Description', 'Qty', 'Unit price', 'Amount']);
  const y = tableOf(paper, 258, items, english);
  const net = sumOf(items);
  totals(
    paper,
    y + 10,
    [
      ['Subtotal', '/net', net],
      ['VAT 20 %', '/vat', net * 0.2],
      ['Total due', '/gross', net * 1.2],
    ],
    english,
  );
  paper.line(
    780,
    'Harrow & Finch Ltd, registered in England 0442187. Thank you for your business.',
    8,
  );
  return invoice('invoice-plain.pdf', paper);
}

/** German, with decimal commas and dates in words, and the totals beside a note. */
export async function germanInvoice(): Promise<SetDocument> {
  const paper = new Paper().sheet();
  paper.line(
    60,
    [
      { x: 60, text: 'Rechnung', bold: true },
      { x: 150, text: 'Nr.' },
      { x: 172, text: '2026/00318', field: '/number' },
    ],
    13,
  );
  paper.line(90, [{ x: 360, text: 'Bäckerei Großmann GmbH', field: '/seller/name' }]);
  paper.line(104, [{ x: 360, text: 'Königstraße 9, 01097 Dresden' }]);
  paper.line(118, [
    { x: 360, text: 'USt-IdNr.' },
    { x: 408, text: 'DE 814 562 907', field: '/seller/vat_id' },
  ]);
  paper.line(150, [
    { x: 60, text: 'Rechnungsdatum' },
    { x: 170, text: '17. März 2026', field: '/date', value: '2026-03-17' },
  ]);
  paper.line(166, [
    { x: 60, text: 'Zahlbar bis' },
    { x: 170, text: '16.04.2026', field: '/due', value: '2026-04-16' },
  ]);
  paper.line(182, [
    { x: 60, text: 'Beträge in' },
    { x: 170, text: 'EUR', field: '/currency' },
  ]);
  const items: Item[] = [
    { description: ['Roggenmischbrot, 1 kg'], quantity: 120, unitPrice: 3.45 },
    { description: ['Brötchen, gemischt'], quantity: 1_500, unitPrice: 0.38 },
    { description: ['Festtagstorte nach Maß,', 'vierstöckig'], quantity: 3, unitPrice: 1_289.9 },
    { description: ['Lieferung'], quantity: 12, unitPrice: 15 },
  ];
  headOf(paper, 220, ['Bezeichnung', 'Menge', 'Einzelpreis', 'Gesamt']);
  const y = tableOf(paper, 238, items, german);
  const net = sumOf(items);
  totals(
    paper,
    y + 12,
    [
      ['Zwischensumme', '/net', net],
      ['MwSt. 7 %', '/vat', net * 0.07],
      ['Rechnungsbetrag', '/gross', net * 1.07],
    ],
    german,
  );
  return invoice('invoice-german.pdf', paper);
}

/** The head in two columns, the amounts with their currency, the table in boxes and over two pages. */
export async function boxedInvoice(): Promise<SetDocument> {
  const paper = new Paper().sheet({ size: [612, 792] });
  paper.line(50, [{ x: 430, text: 'INVOICE', bold: true }], 20);
  paper.line(50, [{ x: 60, text: 'Blue Mesa Solar, Inc.', field: '/seller/name', bold: true }], 12);
  paper.line(66, '4800 Canyon Road, Santa Fe, NM 87501');
  paper.line(80, [
    { x: 60, text: 'Tax ID' },
    { x: 96, text: '85-0441927', field: '/seller/vat_id' },
  ]);
  paper.line(110, [
    { x: 60, text: 'Bill to: Juniper School District' },
    { x: 380, text: 'Invoice #' },
    { x: 470, text: '0090117', field: '/number' },
  ]);
  paper.line(124, [
    { x: 60, text: '210 Piñon Street' },
    { x: 380, text: 'Date' },
    { x: 470, text: '04/21/2026', field: '/date', value: '2026-04-21' },
  ]);
  paper.line(138, [
    { x: 60, text: 'Taos, NM 87571' },
    { x: 380, text: 'Due' },
    { x: 470, text: '05/21/2026', field: '/due', value: '2026-05-21' },
  ]);
  paper.line(166, [
    { x: 60, text: 'Currency:' },
    { x: 112, text: 'USD', field: '/currency' },
  ]);
  const items: Item[] = Array.from({ length: 52 }, (_, n) => ({
    description: [`Panel mount ${String.fromCharCode(65 + (n % 26))}-${100 + n}`],
    quantity: 1 + (n % 7),
    unitPrice: 18 + n * 3.25,
  }));
  const dollars = (value: number) => `$${english(value)}`;
  headOf(paper, 196, ['Item', 'Qty', 'Price', 'Line total']);
  tableOf(paper, 214, items.slice(0, 38), dollars, 14, true);
  paper.line(760, [{ x: 270, text: 'Page 1 of 2' }], 8);
  paper.sheet({ size: [612, 792] });
  headOf(paper, 60, ['Item', 'Qty', 'Price', 'Line total']);
  const y = tableOf(paper, 78, items.slice(38), dollars, 14, true);
  const net = sumOf(items);
  totals(
    paper,
    y + 14,
    [
      ['Subtotal', '/net', net],
      ['Sales tax', '/vat', net * 0.05],
      ['Amount due', '/gross', net * 1.05],
    ],
    dollars,
  );
  paper.line(760, [{ x: 270, text: 'Page 2 of 2' }], 8);
  return invoice('invoice-boxed.pdf', paper);
}

async function invoice(file: string, paper: Paper): Promise<SetDocument> {
  const { values, rows, page: pages } = paper;
  return { file, bytes: await paper.bytes(), pages, schema: invoiceSchema, values, rows };
}

/** The right edges of the three columns of numbers. */
const edges = [340, 440, 530];

function headOf(paper: Paper, y: number, [first = '', ...numbers]: string[]): void {
  const heads = numbers.map((head, n) => ({
    x: right(paper, edges[n] ?? 0, head) - 2,
    text: head,
    bold: true,
  }));
  paper.line(y, [{ x: 60, text: first, bold: true }, ...heads], 9);
  paper.rule(y + 13);
}

/** Writes the rows. Returns where the next line stands. */
function tableOf(
  paper: Paper,
  top: number,
  items: Item[],
  money: (value: number) => string,
  leading = 15,
  isRuled = false,
): number {
  let y = top;
  for (const { description, quantity, unitPrice } of items) {
    const total = cents(quantity * unitPrice);
    const [first = '', ...more] = description;
    const numbers: [string, number, string][] = [
      ['quantity', quantity, money === german ? quantity.toLocaleString('de-DE') : `${quantity}`],
      ['unit_price', unitPrice, money(unitPrice)],
      ['total', total, money(total)],
    ];
    const cells: Piece[] = numbers.map(([field, value, written], n) => ({
      ...{ x: right(paper, edges[n] ?? 0, written), text: written, field, value },
    }));
    paper.row('/lines', y, [
      [{ x: 60, text: first, field: 'description' }, ...cells],
      ...more.map((line) => [{ x: 60, text: line, field: 'description' }]),
    ]);
    y += leading + more.length * 12;
    if (isRuled) paper.rule(y - 3);
  }
  return y;
}

function totals(
  paper: Paper,
  top: number,
  sums: [label: string, field: string, value: number][],
  money: (value: number) => string,
): void {
  for (const [index, [label, field, exact]] of sums.entries()) {
    const value = cents(exact);
    const written = money(value);
    paper.line(top + index * 16, [
      { x: 360, text: label },
      { x: right(paper, 530, written, 10), text: written, field, value },
    ]);
  }
}

const sumOf = (items: Item[]) =>
  cents(items.reduce((sum, { quantity, unitPrice }) => sum + cents(quantity * unitPrice), 0));

const cents = (value: number) => Math.round(value * 100 + 1e-6) / 100;
