import { commandLine, shownOption, timeNotes } from '../command-line.ts';

const filters = ['key', 'status', 'error', 'since'] as const;

/** A command on one job, or on all that the filters match. */
const action = (summary: string, notes: string) =>
  ({
    summary,
    takes: '[ID]',
    options: [...filters, 'yes'],
    notes: `${notes}
With an ID: that job, whichever key it is of. Without one: all jobs that fit --key, --status, --error and --since, of which
at least one must be given, up to 100,000 at once. It says how many jobs these are, and asks.
It refuses, and lists, what the job's own key could not do.
${timeNotes}`,
  }) as const;

/** `npm run jobs` */
export const jobsCommands = commandLine({
  program: 'jobs',
  idsOf: 'job',
  summary: 'Shows, cancels, stops, retries and deletes jobs of all keys, and shows the queues.',
  options: {
    key: ['KEY', 'only jobs of this key, by its id or name; far less is read then'],
    status: ['A,B', 'only jobs of these: queued, processing, done, failed, cancelled'],
    error: ['CODE', "only jobs whose error's code begins so, as in rate_limit"],
    since: ['TIME', 'only jobs submitted in the last TIME, as in 24h or 7d'],
    ...shownOption,
    yes: ['', 'ask nothing: all of these jobs are meant'],
  },
  commands: {
    list: {
      summary: 'Lists jobs of all keys, the newest first.',
      options: [...filters, 'limit'],
      notes: `The error of a queued job says why it waits, or why its last try failed.
${timeNotes}`,
    },
    show: {
      summary: 'Shows the state of a job and the reasons for it, without prompts and answers.',
      takes: 'ID',
      options: ['key'],
    },
    cancel: action(
      'Cancels jobs that are queued.',
      'A job that has begun, as a folder mostly has, can be stopped only: see stop.',
    ),
    stop: action(
      'Stops jobs that have not ended, with all that was made for them.',
      'They end cancelled, and keep what was paid for. A folder is stopped with its files.',
    ),
    retry: action(
      'Makes new jobs of failed or cancelled ones.',
      `Only jobs that nobody has tried again; without --status the failed ones. Jobs of a revoked or expired key are refused.
A part of another job is left out and listed: try that job again. A file of a folder that is done is tried itself.`,
    ),
    delete: action(
      'Erases jobs that have ended, with all that was made for them.',
      `They are hidden from their key at once, and erased by the sweep within minutes. It asks about a single one too. Ratings
are left: see feedback. What was charged stays. Without --status: those that are done, failed or cancelled.`,
    ),
    queue: {
      summary: 'Counts waiting jobs by queue, priority and key, and the jobs that end a minute.',
      notes: `"Ready" jobs may begin now. "Later" ones wait for a limit of their key, for their next try, or for a service that is
down. "Running" ones have a worker, or wait for their parts. "Oldest" is the age of the oldest that is ready or
later. The parts of a long document count as jobs. "Ended a minute" is of the last five to ten minutes. The last four
columns are of the queue, as SQS counts them, up to a minute late.`,
    },
    redrive: {
      summary: 'Sends messages again for ready jobs that no worker has begun.',
      notes: `It moves the messages of the dead-letter queues back, and sends messages where there are fewer than jobs that are
ready. A message too many does nothing, so this may be run at any time.`,
    },
  },
});
