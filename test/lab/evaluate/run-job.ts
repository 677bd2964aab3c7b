import { CommandError } from '../../../lib/cli/command-line.ts';
import { type EndedJob, endOf, type Service, submitJob } from '../../../lib/cli/service.ts';

/** Submits an extraction or a pipeline, and waits for its end. Returns it with its whole result. */
export async function runJob(service: Service, submission: object): Promise<EndedJob> {
  const job = await endOf(service, (await submitJob(service, submission)).id);
  return { ...job, result: await wholeResult(job.result) };
}

/** A long result lies behind a link. */
async function wholeResult(result: EndedJob['result']): Promise<EndedJob['result']> {
  if (!result?.url) return result;
  const response = await fetch(result.url);
  if (!response.ok) throw new CommandError(`A result can't be fetched: ${response.status}.`);
  return { ...result, ...((await response.json()) as object) };
}
