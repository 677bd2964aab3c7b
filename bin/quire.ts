import { progress } from '../lib/cli/progress.ts';
import { askModel } from '../lib/cli/quire/ask.ts';
import { quireCommands } from '../lib/cli/quire/commands.ts';
import { showLimits } from '../lib/cli/quire/limits.ts';
import { listJobs } from '../lib/cli/quire/list-jobs.ts';
import { ResultFolder } from '../lib/cli/quire/results.ts';
import { outcomeOf, submit } from '../lib/cli/quire/submit.ts';
import { runCommand } from '../lib/cli/run.ts';
import { endOf, serviceIn } from '../lib/cli/service.ts';

const makesNoJob = ['ask', 'limits'].includes(process.argv[2] ?? '');
process.on('SIGINT', () => {
  const jobs = 'Jobs that were submitted go on: npm run quire -- jobs lists them.';
  console.error(makesNoJob ? '' : `\nStopped looking. ${jobs}`);
  process.exit(130);
});

await runCommand(quireCommands, {
  submit,
  ask: askModel,
  jobs: listJobs,
  limits: showLimits,

  async result({ id, values }) {
    const { data, out } = values;
    const service = serviceIn(data);
    const folder = out === undefined ? undefined : new ResultFolder(out);
    const { note, end } = progress('waiting for the job, seconds');
    const startedAtMs = Date.now();
    const job = await endOf(service, id, () => note(Math.round((Date.now() - startedAtMs) / 1000)));
    end();
    if (job.error !== null) console.error(job.error);
    const outcome = await outcomeOf(service, [job], folder);
    return { ...outcome, json: job };
  },
});
