import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../command-line.ts';

/** A service to ask, and the key to ask it with. */
export interface Service {
  url: string;
  key: string;
}

/** A job as far as its end is awaited. */
export interface EndedJob {
  id: string;
  status: 'done' | 'failed' | 'cancelled';
  error: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string;
  result: ({ url?: string } & Record<string, unknown>) | null;
}

/** Uploads a document. Returns its id. */
export async function upload(service: Service, path: string): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', await openAsBlob(path), basename(path));
  const { id } = await ask<{ id: string }>(service, 'POST', '/v1/files', form);
  return id;
}

/** Deletes an uploaded document. */
export const remove = (service: Service, fileId: string) =>
  ask(service, 'DELETE', `/v1/files/${fileId}`);

/** Submits a job, and waits for its end. */
export async function runJob(service: Service, submission: object): Promise<EndedJob> {
  const { id } = await ask<{ id: string }>(
    service,
    'POST',
    '/batch/jobs',
    JSON.stringify(submission),
  );
  for (let waitMs = 200; ; waitMs = Math.min(2_000, waitMs * 1.3)) {
    const job = await ask<EndedJob | { status: 'queued' }>(service, 'GET', `/batch/jobs/${id}`);
    if (isEnded(job)) return { ...job, result: await wholeResult(job.result) };
    await pause(waitMs);
  }
}

const isEnded = (job: { status: string }): job is EndedJob =>
  ['done', 'failed', 'cancelled'].includes(job.status);

/** A long result lies behind a link. */
async function wholeResult(result: EndedJob['result']): Promise<EndedJob['result']> {
  if (!result?.url) return result;
  const response = await fetch(result.url);
  if (!response.ok) throw new CommandError(`A result can't be fetched: ${response.status}.`);
  return { ...result, ...((await response.json()) as object) };
}

/** How often a request is sent again that the service has no room for, or that the network has lost. */
const maxTries = 8;

async function ask<Body>(
  { url, key }: Service,
  method: string,
  path: string,
  body?: string | FormData,
): Promise<Body> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(`${url}${path}`, key, method, body);
    if (response.ok) return (await response.json()) as Body;
    const text = await response.text();
    const isBusy = response.status === 429 || response.status >= 500;
    if (!isBusy || attempt === maxTries) {
      throw new CommandError(`${method} ${path}: ${response.status} ${messageIn(text)}`);
    }
    const askedSeconds = Number(response.headers.get('retry-after')) || attempt;
    await pause(Math.min(60, askedSeconds) * 1_000);
  }
}

async function send(url: string, key: string, method: string, body?: string | FormData) {
  try {
    return await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body }),
    });
  } catch (cause) {
    const { message } = ((cause as Error).cause ?? cause) as Error;
    throw new CommandError(`${new URL(url).origin} can't be reached: ${message}.`, { cause });
  }
}

/** What the service says is wrong, in whichever of its shapes. */
function messageIn(text: string): string {
  try {
    const { error, detail } = JSON.parse(text) as { error?: unknown; detail?: unknown };
    const told = (error as { message?: string })?.message ?? error ?? detail;
    return typeof told === 'string' ? told : JSON.stringify(told);
  } catch {
    return text.slice(0, 200);
  }
}
