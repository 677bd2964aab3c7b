import { limitNotes, limitsSaid, windowOptions } from '../budget-options.ts';
import { commandLine, type Option, shownOption, timeNotes } from '../command-line.ts';
import { webhookOptions } from '../webhooks/commands.ts';

const options = {
  name: ['NAME', 'its name, which no other key may have unless that is revoked'],
  'budget-usd': ['USD', 'the most it may spend, as in 12.50; in a window, as in 5/day', 'many'],
  ...windowOptions,
  team: ['TEAM', 'the team whose budget it spends too, by its id or name; none: no team'],
  'images-per-hour': ['N', 'the images it may have read in an hour; a new key: 100'],
  'requests-per-minute': [
    'N',
    'the model calls it may start in a minute, or none; default: quire:requestsPerMinute',
  ],
  'max-concurrent': ['N', 'the model calls it may have under way; a new key: 100'],
  weight: ['N', 'how many of its jobs begin for each of another key, 1 to 1000; a new key: 1'],
  'best-priority': ['N', 'the best (lowest) priority that its jobs get, 1 to 100; a new key: 1'],
  'max-queued': ['N', 'the jobs it may have waiting or running; a new key: 10000'],
  'max-running': ['N', 'the jobs it may have running, 1 to 1000; a new key: no limit'],
  models: ['A,B', 'the only models it may use'],
  'drive-folders': ['ID,ID', 'the Drive folders it may read; none: no folder'],
  'research-usd': ['USD', 'the most that one deep_research may cost; none: what the stack allows'],
  expires: ['WHEN', 'a date (UTC) such as 2030-01-31, or a time from now such as 90d'],
  webhook: [
    'URL',
    'the https address that gets events of ended jobs and of 50, 80, 100 % of the budget; none: no webhook',
  ],
  ...webhookOptions,
  yes: ['', 'ask nothing: the end of a key, a budget or rate of 0, or an unknown folder, is meant'],
  grace: ['TIME', 'how long the old secret still works; 0 ends all old ones; default 24h'],
  sort: ['BY', 'spent, left, used, queued or name; default: the oldest first'],
  days: ['N', 'today (UTC) and the days before, N in all, from 1 to 400; default 7'],
} as const satisfies Record<string, Option>;

const notLimits = [
  ...['name', 'extra-usd', 'customer', 'erase-customer', 'test', 'redeliver'],
  ...['grace', 'sort', 'days'],
];
const limits = (Object.keys(options) as (keyof typeof options)[]).filter(
  (option) => !notLimits.includes(option),
);

/** `npm run keys` */
export const keysCommands = commandLine({
  program: 'keys',
  summary: 'Issues, changes and ends API keys.',
  options,
  commands: {
    create: {
      summary: 'Issues a key and shows its secret, this once.',
      options: ['name', ...limits],
      notes: limitNotes,
    },
    list: {
      summary:
        'Lists all keys: what they spent, hold and have left, when they were used, their jobs.',
      options: ['sort'],
      notes: `"Spent", "held" and "left" are of the budget's window, which ends at "renews"; "left" of a key without a
budget is no limit. "Used" is when the last call began that has ended. "Running" counts jobs that work, or wait for
what was made for them.`,
    },
    top: {
      summary: 'Lists the keys that spent most in the last days.',
      options: ['days', 'limit'],
      ownOptions: shownOption,
      notes: `By the usage statistics, which are seconds behind. A call belongs to the UTC day on which it ended.`,
    },
    show: { summary: 'Shows a key.', takes: 'ID' },
    set: {
      summary: 'Changes a key; "none" removes a limit.',
      takes: 'ID',
      options: ['name', 'extra-usd', 'customer', ...limits],
      notes: limitNotes,
    },
    limits: {
      summary: limitsSaid,
      takes: '[ID]',
      options: ['erase-customer'],
      notes: 'Without an ID it shows the ceiling of what all keys spend in a day.',
    },
    rotate: {
      summary: 'Gives a key a new secret and shows it, this once.',
      takes: 'ID',
      options: ['grace'],
      notes: timeNotes,
    },
    webhooks: {
      summary: "Lists the latest 20 events of a key's webhook; sends one again, or a test.",
      takes: 'ID',
      options: ['test', 'redeliver'],
    },
    revoke: {
      summary: 'Ends a key, for good, and stops its jobs; asks first on a terminal.',
      takes: 'ID',
      options: ['yes'],
    },
    history: {
      summary:
        'Shows who changed a key, when, and what; without an ID the last changes of all keys.',
      takes: '[ID]',
      options: ['limit'],
      ownOptions: shownOption,
      notes: `A change is written down in the same transaction that makes it, and kept for good. Who: the user of this
machine on a local stage, the AWS identity with --stack. No secret is in it.`,
    },
  },
});
