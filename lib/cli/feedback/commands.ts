import { commandLine } from '../command-line.ts';

/** `npm run feedback` */
export const feedbackCommands = commandLine({
  program: 'feedback',
  summary: 'Sums up or exports the ratings of answers.',
  options: { days: ['N', 'today (UTC) and the days before, N in all, from 1 to 400; default 30'] },
  commands: {
    summary: {
      summary: "Sums up all keys' ratings by model, with the latest comments.",
      options: ['days'],
      notes: `"Per rating" is what all keys spent on a model in those days, by its usage statistics, divided by
the number of its ratings. A rating belongs to the day it was first given, and to the model that its
sender named; a model that nobody used has no spend.`,
    },
    export: {
      summary: "Prints all keys' ratings with what was rated, one JSON object a line.",
      options: ['days'],
      isText: true,
      notes: 'npm run --silent prints nothing else.',
    },
  },
});
