import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3 } from '../aws/s3.ts';
import type { Message } from '../chat/message.ts';
import { setting } from '../config.ts';
import type { ClaimedJob, Job, JobKey, JobResult } from './job.ts';

/** Above this many bytes of JSON messages go to object storage; an item may hold 400 KB in all. */
const inlineMessagesBytes = 100_000;
/** The same for a result: a list of 50, each quoted twice over, fits the 6 MB a Lambda may answer. */
const inlineResultBytes = 50_000;

/** The attributes that hold a job's messages, stored away first where they are large. */
export async function keepMessages(
  key: JobKey,
  messages: unknown[],
): Promise<Pick<Job, 'messages_json' | 'messages_object'>> {
  const json = JSON.stringify(messages);
  if (Buffer.byteLength(json) <= inlineMessagesBytes) return { messages_json: json };
  return { messages_object: await put(`${folderOf(key)}/messages.json`, json) };
}

/** Reads a job's messages from wherever they are. */
export async function messagesOf(job: Job): Promise<Message[]> {
  return JSON.parse(job.messages_json ?? (await get(job.messages_object)));
}

/** The attributes that hold a result; each attempt has its own object, so none overwrites another's. */
export async function keepResult(
  job: ClaimedJob,
  result: JobResult,
): Promise<Pick<Job, 'result_json' | 'result_object'>> {
  const json = JSON.stringify(result);
  if (Buffer.byteLength(json) <= inlineResultBytes) return { result_json: json };
  return {
    result_json: JSON.stringify({ ...result, content: null }),
    result_object: await put(`${folderOf(job)}/result-${job.lease_id}.json`, json),
  };
}

/** JSON of a job's whole result, from wherever it is. */
export async function wholeResult(job: Job): Promise<string | undefined> {
  return job.result_object ? get(job.result_object) : job.result_json;
}

const folderOf = ({ key_id, job_id }: JobKey) => `${key_id}/${job_id}`;

async function put(object: string, json: string): Promise<string> {
  await s3.send(
    new PutObjectCommand({
      Bucket: setting('BODIES_BUCKET'),
      Key: object,
      Body: json,
      ContentType: 'application/json',
    }),
  );
  return object;
}

async function get(object: string | undefined): Promise<string> {
  const { Body } = await s3.send(
    new GetObjectCommand({ Bucket: setting('BODIES_BUCKET'), Key: object }),
  );
  if (!Body) throw new Error(`The object ${object} is empty`);
  return Body.transformToString();
}
