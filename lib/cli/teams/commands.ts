import { limitNotes, limitsSaid, windowOptions } from '../budget-options.ts';
import { commandLine, shownOption } from '../command-line.ts';
import { webhookOptions } from '../webhooks/commands.ts';

const settable = [
  ...(['name', 'budget-usd', 'limit', 'per-customer'] as const),
  ...(['duration', 'window', 'zone', 'anchor', 'webhook', 'yes'] as const),
];

const joining = 'A key is put into a team by npm run keys -- create|set … --team ID.';

/** `npm run teams` */
export const teamsCommands = commandLine({
  program: 'teams',
  summary: 'Makes and changes teams: keys that share one budget, beside their own.',
  idsOf: 'team',
  options: {
    name: ['NAME', 'what the team is called; no other team may be'],
    'budget-usd': ['USD', 'what its keys may spend, as in 12.50; in a window, as in 5/day', 'many'],
    ...windowOptions,
    webhook: ['URL', 'where to post the spent parts of its budget; https://…'],
    ...webhookOptions,
    yes: ['', 'ask nothing: a budget of 0 is meant'],
  },
  commands: {
    create: {
      summary: 'Makes a team of no keys yet.',
      options: settable,
      notes: `${limitNotes}\n${joining}`,
    },
    list: { summary: 'Lists all teams, with what they have spent.', notes: joining },
    show: {
      summary: 'Shows a team, what it has spent, and its keys.',
      takes: 'ID',
      notes: joining,
    },
    set: {
      summary: 'Changes a team; "none" removes a limit, or the webhook.',
      takes: 'ID',
      options: ['extra-usd', 'customer', ...settable],
      notes: limitNotes,
    },
    limits: { summary: limitsSaid, takes: 'ID', options: ['erase-customer'] },
    webhooks: {
      summary: "Lists the latest 20 events of a team's webhook; sends one again, or a test.",
      takes: 'ID',
      options: ['test', 'redeliver'],
      notes:
        "It is told when 50, 80 and 100 % of the team's budget are spent. Ends of jobs go to the webhooks of keys.",
    },
    history: {
      summary:
        'Shows who changed a team, when, and what; without an id, the last changes of all teams.',
      takes: '[ID]',
      options: ['limit'],
      ownOptions: shownOption,
      notes: 'Which team a key was put into, npm run keys -- history tells.',
    },
  },
});
