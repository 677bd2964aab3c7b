import { commandLine, shownOption } from '../command-line.ts';

/** `npm run files` */
export const filesCommands = commandLine({
  program: 'files',
  summary: 'Lists files of all keys with their sizes, and deletes one.',
  idsOf: 'file',
  options: {
    key: ['KEY', 'only files of this key, by its id or name'],
    ...shownOption,
    yes: ['', 'ask nothing: the file is meant'],
  },
  commands: {
    list: {
      summary: "Lists how many files each key has, and how large; with --key, that key's files.",
      options: ['key', 'limit'],
      notes: `Uploads under way are counted. Results of jobs are files too, but only those of batches are listed and counted.`,
    },
    show: {
      summary: 'Shows the attributes of a file and its key, never its content.',
      takes: 'ID',
      options: ['key'],
    },
    delete: {
      summary: 'Deletes a file.',
      takes: 'ID',
      options: ['key', 'yes'],
      notes: `It is hidden from its key at once, and erased by the sweep within minutes. A batch that has begun goes on without its
file; one that has not fails.`,
    },
  },
});
