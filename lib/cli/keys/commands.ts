import {
  limitNotes,
  limitsSaid,
  shownOption,
  timeNotes,
  windowOptions,
} from '../budget-options.ts';
import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';
import { webhookOptions } from '../webhooks/options.ts';

const options = {
  name: ['NAME', 'what the key is called; no other key may be, unless it is revoked'],
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
    'the https address told of ended jobs and of 50, 80, 100 % of the budget; none: none',
  ],
  ...webhookOptions,
  yes: ['', 'ask nothing: the end of a key, a budget or rate of 0, or an unknown folder, is meant'],
  grace: ['TIME', 'how long the old secret still works; 0 ends all old ones; default 24h'],
  sort: ['BY', 'spent, left, used, queued or name; default: the oldest first'],
  days: ['N', 'today (UTC) and the days before, N in all, from 1 to 400; default 7'],
  ...jsonOption,
  ...commonOptions,
} as const;

type Option = keyof typeof options;

const everywhere: Option[] = ['data', 'stack', 'json', 'help'];
const notLimits = [
  ...['name', 'extra-usd', 'customer', 'erase-customer', 'test', 'redeliver', 'grace'],
  ...['sort', 'days', ...everywhere],
];
const limits = (Object.keys(options) as Option[]).filter((option) => !notLimits.includes(option));

const command = (summary: string, takesKeyId: boolean, own: Option[] = []): Command => ({
  summary,
  takesKeyId,
  options: [...own, ...everywhere],
  notes: own.includes('limit') ? limitNotes : own.includes('grace') ? timeNotes : '',
});

const commands = {
  create: command('Issues a key and shows its secret, this once.', false, ['name', ...limits]),
  list: {
    summary:
      'Lists all keys: what they spent, hold and have left, when they were used, their jobs.',
    takesKeyId: false,
    options: ['sort', ...everywhere],
    notes: `"Spent", "held" and "left" are of the budget's window, which ends at "renews"; "left" of a key without a
budget is no limit. "Used" is when the last call began that has ended. "Running" counts jobs that work, or wait for
what was made for them.`,
  },
  top: {
    summary: 'Lists the keys that spent most in the last days.',
    takesKeyId: false,
    options: ['days', 'limit', ...everywhere],
    ownOptions: shownOption,
    notes: `By the usage statistics, which are seconds behind. A call belongs to the UTC day on which it ended.`,
  },
  show: command('Shows a key.', true),
  set: command('Changes a key; "none" removes a limit.', true, [
    'name',
    'extra-usd',
    'customer',
    ...limits,
  ]),
  limits: {
    ...command(limitsSaid, true, ['erase-customer']),
    idIsOptional: true,
    notes: 'Without an ID it shows the ceiling of what all keys spend in a day.',
  },
  rotate: command('Gives a key a new secret and shows it, this once.', true, ['grace']),
  webhooks: command(
    "Lists the latest 20 events of a key's webhook; sends one again, or a test.",
    true,
    ['test', 'redeliver'],
  ),
  revoke: command('Ends a key, for good, and stops its jobs; asks first on a terminal.', true, [
    'yes',
  ]),
  history: {
    summary: 'Shows who changed a key, when, and what; without an ID the last changes of all keys.',
    takesKeyId: true,
    idIsOptional: true,
    options: ['limit', ...everywhere],
    ownOptions: shownOption,
    notes: `A change is written down in the same transaction that makes it, and kept for good. Who: the user of this
machine on a local stage, the AWS identity with --stack. No secret is in it.`,
  },
};

/** `npm run keys` */
export const keysCommands: CommandLine<keyof typeof commands> = {
  program: 'keys',
  summary: 'Issues, changes and ends API keys.',
  options,
  commands,
};
