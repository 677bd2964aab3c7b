import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';

const options = {
  'dry-run': ['', 'only look: count and correct nothing'],
  ...jsonOption,
  ...commonOptions,
} as const;

const commands = {
  rebuild: {
    summary: "Compares a key's usage statistics with its charges, and corrects them.",
    takesKeyId: true,
    options: Object.keys(options),
    notes: `Charges that nobody counted are counted, each on the UTC day it ended. The service may go on
meanwhile. Charges are kept for 400 days: what is older stays as it is. Spend is in nano-dollars.`,
  },
} satisfies Record<string, Command>;

/** `npm run usage` */
export const usageCommands: CommandLine<keyof typeof commands> = {
  program: 'usage',
  summary: 'Puts usage statistics right.',
  options,
  commands,
};
