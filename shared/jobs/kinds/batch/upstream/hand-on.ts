import { join } from 'node:path';
import OpenAI from 'openai';
import { batchClientOf, protocolOf } from '../../../../models/batches/upstream-batches.ts';
import { newTempDir } from '../../../../temp-dir.ts';
import { TextFile } from '../../../../text-file.ts';
import type { RequestFile } from '../../requests/request-file.ts';
import { type HandedLine, tagOf, urlOf, writtenLine } from './handed-line.ts';
import { noteMade, noteRefused, noteTry, type Part, type PartState } from './parts.ts';
import { handedLines } from './plan-parts.ts';

/** How long a try to make a batch may be under way: only then is it known to have failed. */
const unknownForMs = 2 * 60_000;

/** How far clocks may differ. */
const clockMs = 60_000;

/**
 * Creates a part's batch at the upstream once: a try is noted first, and after one whose outcome is unknown the batch
 * is looked for. Returns false if that shows only later.
 */
export async function handOn(file: RequestFile, state: PartState): Promise<boolean> {
  const found = await findMade(file, state);
  if (found) return found === 'made';
  const { job, signal } = file;
  const { part } = state;
  const protocol = protocolOf(part.upstream);
  const client = await batchClientOf(part.upstream);
  await using folder = await newTempDir();
  const path = join(folder.path, 'requests.jsonl');
  const { first, count } = await writeRequests(file, part, path);
  if (!first) return true;
  const fileId = await protocol.upload(client, path, signal);
  await noteTry(job, state);
  const tag = tagOf(job, part.name);
  const asked = { path, fileId, tag, url: urlOf(first), count };
  const id = await protocol.make(client, asked, signal).catch(async (error: unknown) => {
    if (isRefusal(error)) await noteRefused(job, state);
    throw error;
  });
  await noteMade(job, state, id);
  return true;
}

/** Looks for the batch of a try whose outcome isn't known, and notes it if it was made. */
export async function findMade(
  { job, signal }: RequestFile,
  state: PartState,
): Promise<'made' | 'unclear' | undefined> {
  const { part, lastTry } = state;
  if (!lastTry || lastTry.isRefused) return undefined;
  const wanted = { tag: tagOf(job, part.name), count: part.count, sinceMs: lastTry.atMs - clockMs };
  const client = await batchClientOf(part.upstream);
  const found = await protocolOf(part.upstream).find(client, wanted, signal);
  if (found === 'unclear') return 'unclear';
  if (found) {
    await noteMade(job, state, found.id);
    return 'made';
  }
  return Date.now() < lastTry.atMs + unknownForMs ? 'unclear' : undefined;
}

/** Whether an error says that nothing was made. */
const isRefusal = (error: unknown) =>
  error instanceof OpenAI.APIError &&
  error.status !== undefined &&
  error.status !== 408 &&
  error.status < 500;

/** Writes the requests of a part to a file on this machine. */
async function writeRequests(file: RequestFile, part: Part, path: string) {
  await using written = new TextFile(path);
  let first: HandedLine | undefined;
  let count = 0;
  for await (const handed of partLines(file, part)) {
    const text = writtenLine(handed, part.isLimited, tagOf(file.job, part.name));
    await written.write(`${text}\n`);
    first ??= handed;
    count += 1;
  }
  return { first, count };
}

/** The lines of a part that have no result. */
export async function* partLines(file: RequestFile, part: Part): AsyncGenerator<HandedLine> {
  for await (const handed of handedLines(file, part.from)) {
    const { number } = handed.line;
    if (number > part.to) return;
    if (handed.request.model.id === part.model && !file.kept.done.has(number)) yield handed;
  }
}
