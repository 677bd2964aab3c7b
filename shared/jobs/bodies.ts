import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { s3 } from '../aws/s3.ts';
import type { Message } from '../chat/message.ts';
import { setting } from '../config.ts';
import type { ClaimedJob, Job, JobKey } from './job.ts';
import { inlineTextBytes, summaryOf, withoutLongText, withUrl } from './long-results.ts';
import type { JobResult } from './result.ts';

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

type KeptResult = Pick<Job, 'result_json' | 'result_object' | 'text_object'>;

/** The attributes that hold a result; each attempt has its own object, so none overwrites another's. */
export async function keepResult(job: ClaimedJob, whole: JobResult): Promise<KeptResult> {
  const { result, text } = withoutLongText(whole);
  const kept = text !== undefined && {
    text_object: await keepText(job, `text-${job.lease_id}`, text),
  };
  const json = JSON.stringify(result);
  if (Buffer.byteLength(json) <= inlineResultBytes) return { result_json: json, ...kept };
  return {
    result_json: JSON.stringify(summaryOf(result)),
    result_object: await put(`${folderOf(job)}/result-${job.lease_id}.json`, json),
    ...kept,
  };
}

/** A job's result as it is kept, from wherever it is. */
export async function keptResult(job: Job): Promise<string | undefined> {
  return job.result_object ? await get(job.result_object) : job.result_json;
}

/** A job's whole result as callers see it: a text too long for it is behind a signed link. */
export async function wholeResult(job: Job): Promise<string | undefined> {
  const json = await keptResult(job);
  if (!json || !job.text_object) return json;
  return JSON.stringify(withUrl(JSON.parse(json) as JobResult, await signedUrl(job.text_object)));
}

/** Keeps a document's pages for the job that is asked about them; answers where. */
export function keepDocument(key: JobKey, pages: string[]): Promise<string> {
  return put(`${folderOf(key)}/document.json`, JSON.stringify(pages));
}

/** Reads a document's pages. */
export async function documentOf(object: string): Promise<string[]> {
  return JSON.parse(await get(object));
}

/** Keeps a text of a job's in object storage; answers where. */
export function keepText(key: JobKey, name: string, text: string): Promise<string> {
  return put(`${folderOf(key)}/${name}`, text, 'text/plain; charset=utf-8');
}

/** The attributes that hold a text which lies in a file: the text itself where it is short. */
export async function keepFile(
  key: JobKey,
  name: string,
  path: string,
): Promise<{ text?: string; text_object?: string }> {
  if ((await stat(path)).size <= inlineTextBytes) return { text: await readFile(path, 'utf8') };
  const text_object = `${folderOf(key)}/${name}`;
  const ContentType = 'text/plain; charset=utf-8';
  const Body = createReadStream(path);
  const params = { Bucket: setting('BODIES_BUCKET'), Key: text_object, Body, ContentType };
  await new Upload({ client: s3, params, queueSize: 2 }).done();
  return { text_object };
}

/** Reads a text that `keepText` kept. */
export const readText = (object: string) => get(object);

export const folderOf = ({ key_id, job_id }: JobKey) => `${key_id}/${job_id}`;

async function put(object: string, body: string, type = 'application/json'): Promise<string> {
  await s3.send(
    new PutObjectCommand({
      Bucket: setting('BODIES_BUCKET'),
      Key: object,
      Body: body,
      ContentType: type,
    }),
  );
  return object;
}

/** A link to an object that works for an hour. */
function signedUrl(object: string): Promise<string> {
  const command = new GetObjectCommand({ Bucket: setting('BODIES_BUCKET'), Key: object });
  return getSignedUrl(s3, command, { expiresIn: 3600 });
}

async function get(object: string | undefined): Promise<string> {
  const { Body } = await s3.send(
    new GetObjectCommand({ Bucket: setting('BODIES_BUCKET'), Key: object }),
  );
  if (!Body) throw new Error(`The object ${object} is empty`);
  return Body.transformToString();
}
