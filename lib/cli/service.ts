import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { plainly } from '../../shared/http/errors.ts';
import type { JobRecord } from '../../shared/jobs/routes/record.ts';
import { type Ask, upload } from '../client/upload.ts';
import { reachDirectly } from '../local/engines/no-proxy.ts';
import { readStageFile } from '../local/stage-file.ts';
import { CommandError } from './command-line.ts';

/** A service to ask, and the key to ask it with. */
export interface Service {
  url: string;
  key: string;
}

/** The service that the environment names, else the local stage of the given folder. Throws CommandError. */
export function serviceIn(data = '.local'): Service {
  reachDirectly();
  const { QUIRE_BASE_URL: url, QUIRE_API_KEY: key } = process.env;
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^https?:/i.test(url)) {
      throw new CommandError(`QUIRE_BASE_URL takes an address, http://… or https://…, not ${url}.`);
    }
    if (!key) throw new CommandError('QUIRE_BASE_URL needs a key beside it, in QUIRE_API_KEY.');
    return { url: url.replace(/\/+$/, ''), key };
  }
  const stage = readStageFile(data);
  if (stage) return { url: stage.base_url, key: key ?? stage.api_key };
  throw new CommandError(
    `No local stage has run in ${data}: start it with npm start, or set QUIRE_BASE_URL and QUIRE_API_KEY.`,
  );
}

/** A job's record. A long result is a link. */
export type ServiceJob = Omit<JobRecord, 'result'> & {
  result: ({ url?: string } & Record<string, unknown>) | null;
};

/** A job that has ended. */
export type EndedJob = ServiceJob & {
  status: 'done' | 'failed' | 'cancelled';
  completed_at: string;
};

const weekSeconds = 7 * 86_400;

/** Uploads a document, which goes again after a week. Returns its id. */
export async function uploadDocument(service: Service, path: string): Promise<string> {
  const document = { file: await openAsBlob(path), name: basename(path), purpose: 'user_data' };
  const send: Ask = (method, route, body) => ask(service, method, route, body);
  return (await upload(send, { ...document, keptSeconds: weekSeconds })).id;
}

/** Deletes an uploaded document. */
export const remove = (service: Service, fileId: string) =>
  ask(service, 'DELETE', `/v1/files/${fileId}`);

/** Submits a job. */
export const submitJob = (service: Service, submission: object): Promise<ServiceJob> =>
  ask(service, 'POST', '/batch/jobs', submission);

/** Waits for a job's end; `onRead` is told each state that was read. A long result is a link. */
export async function endOf(
  service: Service,
  id: string,
  onRead: (job: ServiceJob) => void = () => {},
): Promise<EndedJob> {
  for (let waitMs = 200; ; waitMs = Math.min(2_000, waitMs * 1.3)) {
    const job = await ask<ServiceJob>(service, 'GET', `/batch/jobs/${encodeURIComponent(id)}`);
    onRead(job);
    if (isEnded(job)) return job;
    await pause(waitMs);
  }
}

/** Whether a job has ended. */
export const isEnded = (job: ServiceJob): job is EndedJob =>
  ['done', 'failed', 'cancelled'].includes(job.status);

/** How often a request is sent again that the service has no room for, or that the network has lost. */
const maxTries = 8;

/** Asks the service for JSON. Throws CommandError with what it says is wrong. */
export const ask = async <Body>(...request: Parameters<typeof respond>): Promise<Body> =>
  (await (await respond(...request)).json()) as Body;

/** Asks the service, again where it is busy. Throws CommandError with what it says is wrong. */
export async function respond(
  { url, key }: Service,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  // They are the same for each try, so that no job is made twice.
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() };
  const content = body && { body: body instanceof FormData ? body : JSON.stringify(body) };
  for (let attempt = 1; ; attempt++) {
    const sent = fetch(`${url}${path}`, { method, headers, ...content });
    const response = await sent.catch((error: Error) => unreachable(url, error));
    if (response.ok) return response;
    const text = await response.text();
    const isBusy = response.status === 429 || response.status >= 500;
    const isFinal = response.headers.get('x-should-retry') === 'false';
    if (!isBusy || isFinal || attempt === maxTries) {
      throw new CommandError(refusalOf(response, `${method} ${path}`, messageIn(text)));
    }
    const askedSeconds = Number(response.headers.get('retry-after')) || attempt;
    await pause(Math.min(60, askedSeconds) * 1_000);
  }
}

/** Says what the service refuses; what is wrong with it needs the route, too. */
function refusalOf({ status, url }: Response, route: string, message: string): string {
  if (status !== 401) return status < 500 ? message : `${route}: ${status} ${message}`;
  const where = process.env['QUIRE_API_KEY'] ? ' in QUIRE_API_KEY' : '';
  return `${new URL(url).origin} doesn't take the API key${where}: it is none, or has ended.`;
}

function unreachable(url: string, cause: Error): never {
  const { message } = (cause.cause ?? cause) as Error;
  throw new CommandError(
    `${new URL(url).origin} can't be reached: ${message || 'is it running?'}.`,
    { cause },
  );
}

/** The service's words for an error, in any of its shapes. */
function messageIn(text: string): string {
  try {
    const { error, detail } = JSON.parse(text) as { error?: unknown; detail?: unknown };
    const told = (error as { message?: string })?.message ?? error ?? detail;
    if (Array.isArray(told)) {
      return told.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${plainly(msg)}`).join('; ');
    }
    return typeof told === 'string' ? told : JSON.stringify(told);
  } catch {
    return text.slice(0, 200);
  }
}
