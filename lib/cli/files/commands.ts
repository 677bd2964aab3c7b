import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';

const options = {
  key: ['KEY', 'only files of this key, by its id or name'],
  limit: ['N', 'the most that are shown, from 1 to 10000; default 50'],
  yes: ['', 'ask nothing: the file is meant'],
  ...jsonOption,
  ...commonOptions,
} as const;

const everywhere = ['data', 'stack', 'json', 'help'];

const commands = {
  list: {
    summary: "Lists how many files each key has, and how large; with --key, that key's files.",
    takesKeyId: false,
    options: ['key', 'limit', ...everywhere],
    notes: `Uploads under way are counted. Results of jobs that are no batches are files too, and count for nothing: see jobs.`,
  },
  show: {
    summary: 'Shows what a file is, and whose; never what is in it.',
    takesKeyId: true,
    options: ['key', ...everywhere],
    notes: '',
  },
  delete: {
    summary: 'Deletes a file.',
    takesKeyId: true,
    options: ['key', 'yes', ...everywhere],
    notes: `It is hidden from its key at once, and erased by the sweep within minutes. A batch that has begun goes on without its
file; one that has not fails.`,
  },
} satisfies Record<string, Command>;

/** `npm run files` */
export const filesCommands: CommandLine<keyof typeof commands> = {
  program: 'files',
  summary: 'Shows how much the keys have of files, and deletes one.',
  idsOf: 'file',
  options,
  commands,
};
