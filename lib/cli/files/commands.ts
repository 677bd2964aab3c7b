import { commandLine, shownOption } from '../command-line.ts';

/** `npm run files` */
export const filesCommands = commandLine({
  program: 'files',
  summary: 'Shows how much the keys have of files, and deletes one.',
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
      notes: `Uploads under way are counted. Results of jobs that are no batches are files too, and count for nothing: see jobs.`,
    },
    show: {
      summary: 'Shows what a file is, and whose; never what is in it.',
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
