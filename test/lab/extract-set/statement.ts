import { Paper } from './paper.ts';
import type { SetDocument } from './truth.ts';

export const statementSchema = {
  type: 'object',
  properties: {
    account: { type: 'string', description: 'The IBAN' },
    holder: { type: 'string' },
    opening_balance: { type: 'number' },
    closing_balance: { type: 'number' },
    transactions: {
      type: 'array',
      description: 'All that was booked, in the order of the statement',
      items: {
        type: 'object',
        properties: {
          date: { type: 'string', format: 'date' },
          text: { type: 'string' },
          amount: { type: 'number', description: 'Negative for what was paid out' },
        },
        required: ['date', 'text', 'amount'],
      },
    },
  },
  required: ['account', 'holder', 'opening_balance', 'closing_balance', 'transactions'],
};

const rowsOnPage = 18;
const names = ['Coffee Corner', 'City Transport', 'Greengrocer Bell', 'Salary Northwind', 'Rent'];

/**
 * A bank's statement whose table goes on over all of its pages, each with its head, a balance carried and a footer. Some
 * rows are equal, also where a page ends, and a few are written on two lines.
 */
export async function statement(pages = 30, file = 'statement.pdf'): Promise<SetDocument> {
  const paper = new Paper();
  let balance = 4_210.55;
  const opening = balance;
  for (let page = 1; page <= pages; page++) {
    paper.sheet();
    let y = page === 1 ? firstHead(paper, opening) : 60;
    paper.line(y, heads, 9);
    paper.rule(y + 13);
    y += 20;
    if (page > 1) {
      paper.line(y, [{ x: 60, text: 'Balance carried forward' }, amountAt(paper, balance)], 9);
      y += 18;
    }
    for (let n = 0; n < rowsOnPage; n++) {
      const booked = bookingOf((page - 1) * rowsOnPage + n);
      balance = Math.round((balance + booked.amount) * 100) / 100;
      writeBooking(paper, y, booked);
      y += booked.detail ? 30 : 18;
    }
    paper.rule(y);
    if (page === pages) {
      paper.line(y + 8, [
        { x: 60, text: 'Closing balance' },
        { ...amountAt(paper, balance), field: '/closing_balance', value: balance },
      ]);
    }
    paper.line(
      800,
      [
        { x: 60, text: 'Northern Mutual Bank' },
        { x: 480, text: `Page ${page} of ${pages}` },
      ],
      8,
    );
  }
  const { values, rows } = paper;
  return { file, bytes: await paper.bytes(), pages, schema: statementSchema, values, rows };
}

const heads = [
  { x: 60, text: 'Date', bold: true },
  { x: 150, text: 'Details', bold: true },
  { x: 490, text: 'Amount', bold: true },
];

function firstHead(paper: Paper, opening: number): number {
  paper.line(50, [{ x: 60, text: 'Statement of account', bold: true }], 16);
  paper.line(84, [
    { x: 60, text: 'Account' },
    { x: 160, text: 'GB29 NWBK 6016 1331 9268 19', field: '/account' },
  ]);
  paper.line(100, [
    { x: 60, text: 'Holder' },
    { x: 160, text: 'Ms Ada M. Whitcombe', field: '/holder' },
  ]);
  paper.line(116, [
    { x: 60, text: 'Opening balance' },
    { x: 160, text: written(opening), field: '/opening_balance', value: opening },
  ]);
  return 150;
}

interface Booking {
  date: string;
  text: string;
  detail?: string;
  amount: number;
}

/** The nth of all bookings: each tenth is the same as the one before it, and so is the first of every fourth page. */
function bookingOf(n: number): Booking {
  const isRepeated = n > 0 && (n % 10 === 0 || n % (4 * rowsOnPage) === 0);
  const of = isRepeated ? n - 1 : n;
  const day = new Date(Date.UTC(2026, 0, 1 + Math.floor(of / 6)));
  const isPaidIn = of % 5 === 3;
  const pence = 320 + ((of * 7919) % 90_000);
  const text = `${names[of % names.length]} ${1000 + ((of * 37) % 500)}`;
  return {
    date: day.toISOString().slice(0, 10),
    text,
    ...(of % 13 === 5 && { detail: `Reference ${text.length}${of}-Q` }),
    amount: (isPaidIn ? pence : -pence) / 100,
  };
}

function writeBooking(paper: Paper, y: number, { date, text, detail, amount }: Booking): void {
  const shown = date.split('-').reverse().join('.');
  paper.row('/transactions', y, [
    [
      { x: 60, text: shown, field: 'date', value: date },
      { x: 150, text, field: 'text' },
      { ...amountAt(paper, amount), field: 'amount', value: amount },
    ],
    ...(detail ? [[{ x: 150, text: detail, field: 'text' }]] : []),
  ]);
}

/** At the right edge of its column. */
function amountAt(paper: Paper, amount: number) {
  const text = written(amount);
  return { x: 530 - paper.width(text, 9), text };
}

const written = (amount: number) =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
