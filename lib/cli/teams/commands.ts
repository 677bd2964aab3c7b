import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';

const options = {
  name: ['NAME', 'what the team is called; no other team may be'],
  'budget-usd': ['USD', 'the most its keys may spend together, as in 12.50'],
  duration: ['TIME', 'the budget starts anew each time this has passed, as in 30d; needs a budget'],
  yes: ['', 'ask nothing: a budget of 0 is meant'],
  ...jsonOption,
  ...commonOptions,
} as const;

type Option = keyof typeof options;

const everywhere: Option[] = ['data', 'stack', 'json', 'help'];
const settable: Option[] = ['name', 'budget-usd', 'duration', 'yes'];

const command = (summary: string, takesKeyId: boolean, notes: string, own: Option[] = []) =>
  ({ summary, takesKeyId, options: [...own, ...everywhere], notes }) satisfies Command;

const times = 'TIME is a number and s, m, h, d, w or mo (a calendar month).';
const joining = 'A key is put into a team by npm run keys -- create|set … --team ID.';

const commands = {
  create: command('Makes a team of no keys yet.', false, `${times} ${joining}`, settable),
  list: command('Lists all teams, with what they have spent.', false, joining),
  show: command('Shows a team, what it has spent, and its keys.', true, joining),
  set: command('Changes a team; "none" removes a limit.', true, times, settable),
};

/** `npm run teams` */
export const teamsCommands: CommandLine<keyof typeof commands> = {
  program: 'teams',
  summary: 'Makes and changes teams: keys that share one budget, beside their own.',
  idsOf: 'team',
  options,
  commands,
};
