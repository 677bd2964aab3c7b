import { Paper, type Piece } from './paper.ts';
import type { SetDocument } from './truth.ts';

const schema = {
  type: 'object',
  properties: {
    landlord: { type: 'string' },
    tenant: { type: 'string' },
    premises: { type: 'string', description: 'The address of what is let' },
    begins: { type: 'string', format: 'date' },
    term_months: { type: 'integer' },
    monthly_rent: { type: 'number' },
    deposit: { type: 'number' },
    notice_weeks: { type: 'integer' },
    pets_allowed: { type: ['boolean', 'null'], description: 'Null where the lease says nothing' },
    break_clause: { type: ['string', 'null'], description: 'The number of the clause, if any' },
  },
  required: ['landlord', 'tenant', 'premises', 'begins', 'monthly_rent'],
};

const sentences = [
  'The Tenant shall keep the interior of the Premises in good and tenantable repair.',
  'The Landlord shall keep in repair the structure and exterior of the Premises.',
  'No alteration shall be made without the prior written consent of the Landlord.',
  'The Tenant shall permit the Landlord to enter at reasonable times on 24 hours notice.',
  'Rent not paid within fourteen days of its due date bears interest at 4 per cent a year.',
  'Notices are to be given in writing and sent by recorded delivery to the other party.',
];

/** A line of a clause: its text, and the pieces of it that are values. */
type Line = string | [before: string, value: string, after: string, field: string, meant?: unknown];

const clauses: Record<number, Line[]> = {
  1: [
    ['This lease is made between ', 'Thistle Estates LLP', ' (the Landlord)', '/landlord'],
    ['and ', 'Mr Jonas Okafor-Lindqvist', ' (the Tenant).', '/tenant'],
  ],
  2: [
    'The Landlord lets to the Tenant the dwelling known as',
    ['', 'Flat 3, 48 Harbour Terrace, Whitby YO21 3PX', ' (the Premises).', '/premises'],
  ],
  3: [
    ['The term begins on ', '1st September 2026', ' and', '/begins', '2026-09-01'],
    ['continues for ', '24', ' months unless it is ended earlier as below.', '/term_months', 24],
  ],
  9: [
    ['The rent is \u00a3', '1,425.00', ' each month, payable in advance', '/monthly_rent', 1425],
    'on the first day of each month.',
  ],
  14: [
    [
      'The Tenant pays a deposit of \u00a3',
      '2,137.50',
      ' before the term begins;',
      '/deposit',
      2137.5,
    ],
    'it is held under an authorised scheme.',
  ],
  22: [
    ['Either party may end this lease after the first year by ', '8', ' weeks', '/notice_weeks', 8],
    'notice in writing.',
  ],
};

/** A lease of prose: thirty numbered clauses that go on over pages, values in the middle of sentences. */
export async function lease(): Promise<SetDocument> {
  const paper = new Paper().sheet();
  paper.line(60, [{ x: 60, text: 'LEASE OF A DWELLING', bold: true }], 14);
  let y = 100;
  const next = (leading: number) => {
    y += leading;
    if (y < 770) return;
    paper.line(805, [{ x: 280, text: `- ${paper.page} -` }], 8);
    paper.sheet();
    y = 60;
  };
  for (let clause = 1; clause <= 40; clause++) {
    const filler = sentences.map((_, n) => sentences[(n + clause) % sentences.length] ?? '');
    const lines: Line[] = [...(clauses[clause] ?? []), ...filler];
    for (const [index, line] of lines.entries()) {
      const number = index === 0 ? `${clause}.` : '';
      writeLine(paper, y, number, line, clause);
      next(14);
    }
    next(8);
  }
  paper.line(805, [{ x: 280, text: `- ${paper.page} -` }], 8);
  const { values, rows, page: pages } = paper;
  return { file: 'lease.pdf', bytes: await paper.bytes(), pages, schema, values, rows };
}

function writeLine(paper: Paper, y: number, number: string, line: Line, clause: number): void {
  const pieces: Piece[] = number ? [{ x: 60, text: number }] : [];
  if (typeof line === 'string') {
    paper.line(y, [...pieces, { x: 85, text: line }], 10);
    return;
  }
  const [before, text, after, field, value = text] = line;
  const start = 85 + paper.width(before);
  if (clause === 22) pieces[0] = { ...(pieces[0] as Piece), field: '/break_clause', value: '22' };
  if (before) pieces.push({ x: 85, text: before });
  pieces.push({ x: start, text, field, value });
  pieces.push({ x: start + paper.width(text), text: after });
  paper.line(y, pieces, 10);
}
