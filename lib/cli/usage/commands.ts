import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';

const common = { ...jsonOption, ...commonOptions };

const options = {
  'dry-run': ['', 'only look: count and correct nothing'],
  from: ['DAY', 'the first UTC day, such as 2026-11-01'],
  to: ['DAY', 'the last UTC day; default today'],
  key: ['ID', 'one key; default all, revoked ones too'],
  by: ['NAME', 'a line for each value of this metadata; several times for more', 'many'],
  tag: ['NAME=VALUE', 'only charges with this metadata; several times for more', 'many'],
  csv: ['', 'print CSV; npm run --silent prints nothing else'],
  ...common,
} as const;

const commands = {
  export: {
    summary: 'Prints what keys used, for invoices: a line for each key, day, model and tag.',
    takesKeyId: false,
    options: ['from', 'to', 'key', 'by', 'tag', 'csv', ...Object.keys(common)],
    notes: `--from is the first of this month unless it is given. Costs are in US dollars, exact, with nine decimals.
The lines are sums of the ledger's charges, and their days those of the statistics: a charge counts on the
UTC day on which it ended. Charges are kept for 400 days. Tags are the callers' metadata; a cell is empty,
and null in JSON, for charges that have none of that name. CSV writes a ' before a text that a
spreadsheet would take for a formula.`,
  },
  check: {
    summary:
      'Compares accounts, statistics and charges, of all keys or one: key = models = days = charges.',
    takesKeyId: true,
    idIsOptional: true,
    options: ['from', ...Object.keys(common)],
    notes: `Prints each difference, and exits with 1 if there is one. The service may go on meanwhile: what is under
way is told apart. Without --from all days are compared whose charges are kept; with it, accounts only
whose window began on that day or later. Amounts are in nano-dollars.`,
  },
  rebuild: {
    summary: "Compares a key's usage statistics with its charges, and corrects them.",
    takesKeyId: true,
    options: ['dry-run', ...Object.keys(common)],
    notes: `Charges that nobody counted are counted, each on the UTC day it ended. The service may go on
meanwhile. Charges are kept for 400 days: what is older stays as it is. Spend is in nano-dollars.`,
  },
} satisfies Record<string, Command>;

/** `npm run usage` */
export const usageCommands: CommandLine<keyof typeof commands> = {
  program: 'usage',
  summary: 'Exports what keys used, compares it with the ledger, and puts statistics right.',
  options,
  commands,
};
