import type { JobStatus } from '../../../shared/jobs/engine/item/status.ts';
import type { ChatResult } from '../../../shared/jobs/results/result.ts';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { poll } from './poll.ts';

/** What a test needs to call a stage. */
export interface Target {
  base_url: string;
  api_key: string;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Calls a route with the target's key; `body` is sent as JSON, a string as it is. */
export async function call<Body = unknown>(
  { base_url, api_key }: Target,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const response = await fetch(`${base_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${api_key}`, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Body };
}

/** An inline chat job that asks `content`. */
export const chatJob = (content: string, rest: object = {}) => ({
  job_type: 'chat',
  inline: { messages: [{ role: 'user', content }] },
  ...rest,
});

/** Submits a job that must be accepted. */
export async function submit(target: Target, job: object): Promise<JobRecord> {
  const { status, body } = await call<JobRecord>(target, 'POST', '/batch/jobs', job);
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** The result of a chat job. */
export const chatResultOf = ({ result }: JobRecord) => result as ChatResult | null;

export async function read(target: Target, id: string): Promise<JobRecord> {
  return (await call<JobRecord>(target, 'GET', `/batch/jobs/${id}`)).body;
}

const finalStatuses: JobStatus[] = ['done', 'failed', 'cancelled'];

/** Reads a job until it has ended, or is as it is awaited. */
export const until = (
  target: Target,
  id: string,
  isAwaited = (job: JobRecord) => finalStatuses.includes(job.status),
): Promise<JobRecord> => poll(() => read(target, id), isAwaited);
