import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';

const options = {
  days: ['N', 'today (UTC) and the days before, N in all, from 1 to 400; default 30'],
  ...jsonOption,
  ...commonOptions,
} as const;

const commands = {
  summary: {
    summary: "Sums up all keys' ratings by model, with the latest comments.",
    takesKeyId: false,
    options: Object.keys(options),
    notes: `"Per rating" is what all keys spent on a model in those days, by its usage statistics, divided by
the number of its ratings. A rating belongs to the day it was first given, and to the model that its
sender named; a model that nobody used has no spend.`,
  },
  export: {
    summary: "Prints all keys' ratings with what was rated, one JSON object a line.",
    takesKeyId: false,
    options: Object.keys(options).filter((name) => name !== 'json'),
    notes: 'npm run --silent prints nothing else.',
  },
} satisfies Record<string, Command>;

/** `npm run feedback` */
export const feedbackCommands: CommandLine<keyof typeof commands> = {
  program: 'feedback',
  summary: 'Tells how answers were rated.',
  options,
  commands,
};
