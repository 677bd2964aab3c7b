import { commandLine } from '../command-line.ts';

/** `npm run quire` */
export const quireCommands = commandLine(
  {
    program: 'quire',
    idsOf: 'job',
    summary: `Submits jobs and asks models, with an API key: that of the running local stage, or QUIRE_API_KEY with the address
of a service in QUIRE_BASE_URL.`,
    options: {
      ask: ['TEXT', 'have a model answer this about each file'],
      fields: [
        'JSON',
        'take fields from each file: an example of them, or a JSON Schema; @FILE reads it',
      ],
      folder: ['ID', 'submit the files of this folder of the drive instead'],
      type: ['TYPE', 'chat, ocr or auto; default ocr, which reads what a file says'],
      model: ['MODEL', "the model to ask; default the service's"],
      priority: ['N', '1 to 100, lower is sooner; default 10'],
      out: ['DIR', 'write each result into this folder'],
      'no-wait': ['', "only print the jobs' ids"],
      file: ['FILE', 'answer about this file; may be repeated', 'many'],
      web: ['', 'answer from the web, with its sources'],
      status: ['STATUS', 'only jobs that are queued, processing, done, failed or cancelled'],
      watch: ['', 'print jobs again as they change, until all have ended'],
    },
    commands: {
      submit: {
        summary: 'Submits files to be read or asked about, and prints or writes the results.',
        takes: 'FILE...',
        options: ['ask', 'fields', 'folder', 'type', 'model', 'priority', 'out', 'no-wait'],
        notes: `PDFs, pictures, Office files, email, archives and texts are taken, of up to 8 GB. Results are printed one after
another, or with --out written as <name>.ocr.md, <name>.result.md or <name>.extract.json. Exits with 1 if a job failed.
Uploaded files are deleted after a week.`,
      },
      ask: {
        summary: 'Asks a model, and prints its answer as it comes.',
        takes: 'TEXT',
        options: ['file', 'web', 'model'],
        notes: 'A - among the words puts the text of standard input behind the question.',
      },
      jobs: {
        summary: 'Lists the newest jobs, the files of a folder under it.',
        options: ['status', 'watch'],
      },
      result: {
        summary: 'Prints the result of a job, once it has ended.',
        takes: 'ID',
        options: ['out'],
        notes: 'Exits with 1 if the job failed or was cancelled.',
      },
      limits: { summary: 'Shows what is left of the budget and of the pages of this hour.' },
    },
  },
  true,
);
