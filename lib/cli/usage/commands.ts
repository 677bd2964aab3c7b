import { commandLine } from '../command-line.ts';

/** `npm run usage` */
export const usageCommands = commandLine({
  program: 'usage',
  summary: 'Exports what keys used, compares it with the ledger, and puts statistics right.',
  options: {
    'dry-run': ['', 'only look: count and correct nothing'],
    from: ['DAY', 'the first UTC day, as in 2026-11-01'],
    to: ['DAY', 'the last UTC day; default today'],
    key: ['KEY', 'one key, by its id or name; default all, revoked ones too'],
    by: ['NAME', 'a line for each value of this metadata, as in customer; may be repeated', 'many'],
    tag: [
      'NAME=VALUE',
      'only charges with this metadata, as in customer=acme; may be repeated',
      'many',
    ],
    csv: ['', 'print CSV; npm run --silent prints nothing else'],
  },
  commands: {
    export: {
      summary: 'Prints what keys used, for invoices: a line for each key, day and model.',
      options: ['from', 'to', 'key', 'by', 'tag', 'csv'],
      notes: `Without --from it begins with the first day of this month; both days are included. Metadata is what callers sent
with their requests; of a charge without it the cell is empty, and null in JSON.
Costs are in US dollars, exact, with nine decimals. The lines are sums of the ledger's charges. A charge
counts on the UTC day on which it ended, and is kept for 400 days. CSV writes a ' before a text that a
spreadsheet would take for a formula.`,
    },
    check: {
      summary:
        'Compares accounts and statistics with charges: of one key, or of all keys and teams.',
      takes: '[ID]',
      options: ['from'],
      notes: `A key's account, its statistics by model and by day, and its charges have the same sum; so have a team's account and
what its keys were charged. It prints each difference, in nano-dollars, and exits with 1 if there is one. The
service may go on meanwhile: calls under way are told apart. Without --from it compares all days whose charges
are kept; with it the days from then on, and only accounts whose window began on that day or later.`,
    },
    rebuild: {
      summary: "Compares a key's usage statistics with its charges, and corrects them.",
      takes: 'ID',
      options: ['dry-run'],
      notes: `Charges that nobody counted are counted, each on the UTC day it ended. The service may go on
meanwhile. Charges are kept for 400 days: what is older stays as it is. Spend is in nano-dollars.`,
    },
  },
});
