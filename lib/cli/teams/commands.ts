import { limitNotes, limitsSaid, shownOption, windowOptions } from '../budget-options.ts';
import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';
import { webhookOptions } from '../webhooks/options.ts';

const options = {
  name: ['NAME', 'what the team is called; no other team may be'],
  'budget-usd': ['USD', 'what its keys may spend, as in 12.50; in a window, as in 5/day', 'many'],
  ...windowOptions,
  webhook: ['URL', 'where to post the spent parts of its budget; https://…'],
  ...webhookOptions,
  yes: ['', 'ask nothing: a budget of 0 is meant'],
  ...jsonOption,
  ...commonOptions,
} as const;

type Option = keyof typeof options;

const everywhere: Option[] = ['data', 'stack', 'json', 'help'];
const renewal: Option[] = ['duration', 'window', 'zone', 'anchor'];
const limits: Option[] = ['budget-usd', 'limit', 'per-customer'];
const settable: Option[] = ['name', ...limits, ...renewal, 'webhook', 'yes'];

const command = (summary: string, takesKeyId: boolean, notes: string, own: Option[] = []) =>
  ({ summary, takesKeyId, options: [...own, ...everywhere], notes }) satisfies Command;

const joining = 'A key is put into a team by npm run keys -- create|set … --team ID.';

const commands = {
  create: command('Makes a team of no keys yet.', false, `${limitNotes}\n${joining}`, settable),
  list: command('Lists all teams, with what they have spent.', false, joining),
  show: command('Shows a team, what it has spent, and its keys.', true, joining),
  set: command('Changes a team; "none" removes a limit, or the webhook.', true, limitNotes, [
    'extra-usd',
    'customer',
    ...settable,
  ]),
  limits: command(limitsSaid, true, '', ['erase-customer']),
  webhooks: command(
    "Lists what a team's webhook was sent, the latest 20; sends again.",
    true,
    "It is told when 50, 80 and 100 % of the team's budget are spent. Ends of jobs go to the webhooks of keys.",
    ['test', 'redeliver'],
  ),
  history: {
    ...command(
      'Shows who changed a team, when, and what; without an id, the last changes of all teams.',
      true,
      'Which team a key was put into, npm run keys -- history tells.',
      ['limit'],
    ),
    ownOptions: shownOption,
    idIsOptional: true,
  },
};

/** `npm run teams` */
export const teamsCommands: CommandLine<keyof typeof commands> = {
  program: 'teams',
  summary: 'Makes and changes teams: keys that share one budget, beside their own.',
  idsOf: 'team',
  options,
  commands,
};
