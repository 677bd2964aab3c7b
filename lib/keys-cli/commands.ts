/** Every option: the name of its value, if it takes one, and what it does. */
export const options = {
  name: ['NAME', 'what the key is called'],
  'budget-usd': ['USD', 'the most it may spend, as in 12.50'],
  duration: ['TIME', 'the budget starts anew after each, as in 30d; needs a budget'],
  'images-per-hour': ['N', 'the images it may have read in an hour; a new key: 100'],
  'requests-per-minute': ['N', 'the model calls it may start in a minute'],
  models: ['A,B', 'the only models it may use'],
  'drive-folders': ['ID,ID', 'the Drive folders it may read; none: no folder'],
  expires: ['WHEN', 'a date (UTC) such as 2030-01-31, or a time from now such as 90d'],
  grace: ['TIME', 'how long the old secret still works; 0: not at all; default 24h'],
  data: ['DIR', 'the folder of the running local stage; default .local'],
  stack: ['NAME', 'the keys of a deployed stack, with your AWS credentials'],
  json: ['', 'print one JSON object; npm run --silent keeps it alone'],
  help: ['', 'show this'],
} as const;

export type Option = keyof typeof options;

const everywhere: Option[] = ['data', 'stack', 'json', 'help'];
const limits: Option[] = [
  'budget-usd',
  'duration',
  'images-per-hour',
  'requests-per-minute',
  'models',
  'drive-folders',
  'expires',
];

interface Command {
  summary: string;
  takesId: boolean;
  options: Option[];
}

const command = (summary: string, takesId: boolean, own: Option[] = []): Command => ({
  summary,
  takesId,
  options: [...own, ...everywhere],
});

export const commands = {
  create: command('Issues a key and shows its secret, this once.', false, ['name', ...limits]),
  list: command('Lists all keys, the oldest first.', false),
  show: command('Shows a key.', true),
  set: command('Changes a key; "none" removes a limit.', true, ['name', ...limits]),
  rotate: command('Gives a key a new secret and shows it, this once.', true, ['grace']),
  revoke: command('Ends a key, for good.', true),
};

export type CommandName = keyof typeof commands;

export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

const run = 'npm run keys --';
const times = 'TIME is a number and s, m, h, d, w or mo (a calendar month).';

/** How the commands are called; of one command, what options it has. */
export function helpFor(name: CommandName | undefined): string {
  if (name) {
    const { summary, options } = commands[name];
    const usage = `${run} ${nameAndId(name)} [options]`;
    return `${summary}\n\n  ${usage}\n\n${optionLines(options)}\n\n${times}`;
  }
  const lines = (Object.keys(commands) as CommandName[]).map(
    (each) => `  ${nameAndId(each).padEnd(10)}  ${commands[each].summary}`,
  );
  return `Issues, changes and ends API keys.

  ${run} COMMAND [options]

${lines.join('\n')}

${optionLines(everywhere)}

${run} COMMAND --help shows a command's own options.`;
}

const nameAndId = (name: CommandName) => (commands[name].takesId ? `${name} ID` : name);

function optionLines(names: Option[]): string {
  return names
    .map((name) => `  ${`--${name} ${options[name][0]}`.padEnd(23)}  ${options[name][1]}`)
    .join('\n');
}
