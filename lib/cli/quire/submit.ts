import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import pLimit from 'p-limit';
import type { Arguments } from '../arguments.ts';
import { CommandError } from '../command-line.ts';
import { progress } from '../progress.ts';
import type { Outcome } from '../run.ts';
import {
  type EndedJob,
  endOf,
  type Service,
  type ServiceJob,
  serviceIn,
  submitJob,
  uploadDocument,
} from '../service.ts';
import { endedText, ResultFolder, resultText } from './results.ts';

type Given = Pick<Arguments<string>, 'all' | 'values' | 'flags'>;

/** How many files are under way at once: more would wait in the service. */
const atOnce = 8;

/** Submits files or a folder of the drive, waits for their ends, and prints or writes the results. */
export async function submit({ all, values, flags }: Given): Promise<Outcome> {
  const { folder, out } = values;
  if ((all.length === 0) === (folder === undefined)) {
    throw new CommandError('Name the files to submit, or a folder of the drive by --folder ID.');
  }
  for (const path of all) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new CommandError(`${path} is a folder: name the files in it.`);
    if (!found?.isFile()) throw new CommandError(`${path} is no file.`);
  }
  const results = out === undefined ? undefined : new ResultFolder(out);
  const task = taskOf(values);
  const service = serviceIn(values['data']);
  const inputs = folder === undefined ? all : [folder];
  const { note, end } = progress('done', inputs.length);
  const limit = pLimit(atOnce);
  let done = 0;
  const run = async (input: string) => {
    const about =
      folder === undefined ? { file_id: await uploadDocument(service, input) } : undefined;
    const made = await submitJob(service, {
      ...task,
      ...(about ?? { drive: { folder_id: input } }),
    });
    if (flags.has('no-wait')) return made;
    const ended = await endOf(service, made.id, (job) => note(done, detailOf(job)));
    done += 1;
    end();
    console.error(endedText(ended, basename(input)));
    return ended;
  };
  const jobs = await Promise.all(inputs.map((input) => limit(() => run(input))));
  end();
  if (flags.has('no-wait')) return { json: { jobs }, text: jobs.map(({ id }) => id).join('\n') };
  return outcomeOf(service, jobs as EndedJob[], results);
}

/** Prints the results of jobs, or writes them into a folder. */
export async function outcomeOf(
  service: Service,
  jobs: readonly EndedJob[],
  folder: ResultFolder | undefined,
): Promise<Outcome> {
  const texts: string[] = [];
  for (const job of jobs) {
    const text = folder ? await folder.write(service, job) : await resultText(service, job);
    const isOne = jobs.length === 1 || folder;
    if (text !== undefined) texts.push(isOne ? text : `--- ${job.filename} ---\n${text}`);
  }
  const isWrong = jobs.some(({ status }) => status !== 'done');
  return { json: { jobs }, text: texts.join(folder ? '\n' : '\n\n'), isWrong };
}

/** How far one of the jobs is, in words. */
const detailOf = ({ progress: part, filename }: ServiceJob) =>
  part ? `; ${filename ?? 'the job'}: ${part.done} of ${part.total} ${part.unit}` : '';

function taskOf({ ask, fields, type = 'ocr', model, priority }: Given['values']): object {
  if (ask !== undefined && fields !== undefined) {
    throw new CommandError('--ask and --fields are two tasks: give one of them.');
  }
  if (priority !== undefined && !/^\d+$/.test(priority)) {
    throw new CommandError(`--priority takes a number from 1 to 100, not ${priority}.`);
  }
  return {
    job_type: type,
    ...(model !== undefined && { model }),
    ...(priority !== undefined && { priority: Number(priority) }),
    ...(ask !== undefined && { pipeline: 'ocr_then_chat', pipeline_instruction: ask }),
    ...(fields !== undefined && { extract: extractOf(fields) }),
  };
}

/** Reads `--fields`. A JSON Schema of an object says so; anything else is an example. */
function extractOf(text: string): object {
  try {
    const json = text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text;
    const asked: unknown = JSON.parse(json);
    const isSchema =
      (asked as { type?: unknown })?.type === 'object' && 'properties' in (asked as object);
    return { [isSchema ? 'schema' : 'example']: asked, table: true };
  } catch (cause) {
    throw new CommandError(`--fields takes JSON or @FILE: ${(cause as Error).message}.`, { cause });
  }
}
