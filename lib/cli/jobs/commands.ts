import { type Command, type CommandLine, commonOptions, jsonOption } from '../command-line.ts';

const options = {
  key: ['KEY', "only jobs of this key: its id, or its name; much cheaper than all keys'"],
  status: ['A,B', 'only jobs of these: queued, processing, done, failed, cancelled'],
  error: ['CODE', 'only jobs whose error begins so, as in rate_limit'],
  since: ['TIME', 'only jobs submitted within this time, as in 24h or 7d'],
  limit: ['N', 'the most that are shown, from 1 to 10000; default 50'],
  yes: ['', 'ask nothing: all of these jobs are meant'],
  ...jsonOption,
  ...commonOptions,
} as const;

type Option = keyof typeof options;

const everywhere: Option[] = ['data', 'stack', 'json', 'help'];
const filters: Option[] = ['key', 'status', 'error', 'since'];

/** A command on one job, or on all that the filters match. */
const action = (summary: string, notes: string): Command => ({
  summary,
  takesKeyId: false,
  takesJobId: true,
  idIsOptional: true,
  options: [...filters, 'yes', ...everywhere],
  notes: `${notes}
With an id it is that job, whosever it is; without one all jobs that the filters match, up to 100,000 at once: how many
is asked about first. Each is done as its own key could ask for it.`,
});

const commands = {
  list: {
    summary: 'Lists jobs of all keys, the newest first.',
    takesKeyId: false,
    options: [...filters, 'limit', ...everywhere],
    notes: 'TIME is a number and s, m, h, d, w or mo (a calendar month).',
  },
  show: {
    summary: 'Shows a job: how it stands, and why; not what was asked and answered.',
    takesKeyId: false,
    takesJobId: true,
    options: ['key', ...everywhere],
    notes: '',
  },
  cancel: action(
    'Cancels jobs that are queued.',
    'A job that runs, a folder among them, is stopped, not cancelled: see stop.',
  ),
  stop: action(
    'Stops jobs that have not ended, with all that was made for them.',
    'They end cancelled, and keep what was paid for. A folder is stopped with its files.',
  ),
  retry: action(
    'Makes new jobs of failed or cancelled ones.',
    `Without --status these are the failed ones that nobody has tried again; jobs of a revoked or expired key are refused. What
was made for another job is tried again with that; the file of a folder that is done, by itself.`,
  ),
  queue: {
    summary: 'Shows what waits, by lane, priority and key, and how many jobs end a minute.',
    takesKeyId: false,
    options: everywhere,
    notes: `"Ready" may be claimed now; "later" waits for a limit of its key, its next try, or a service. The parts of a long
document count as jobs. The rate is of the last five to ten minutes. Messages are as SQS counts them, a minute late.`,
  },
  redrive: {
    summary: 'Brings workers back to jobs that wait in vain.',
    takesKeyId: false,
    options: everywhere,
    notes: `It moves the messages of the dead-letter queues back, and rings again where there are fewer messages than jobs
that are ready. A message too many does nothing, so this may be run at any time.`,
  },
} satisfies Record<string, Command>;

/** `npm run jobs` */
export const jobsCommands: CommandLine<keyof typeof commands> = {
  program: 'jobs',
  summary: 'Shows, stops and tries again the jobs of all keys.',
  options,
  commands,
};
