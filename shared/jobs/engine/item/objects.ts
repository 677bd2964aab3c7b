import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { s3 } from '../../../aws/s3.ts';
import { signedUrl } from '../../../aws/signed-url.ts';
import type { Message } from '../../../chat/completion-message.ts';
import { setting } from '../../../config.ts';
import type { ChatBatchResult, ExtractResult, JobResult, OcrResult } from '../../results/result.ts';
import type { ClaimedJob, Job, JobKey } from './job.ts';

/**
 * Messages or a result of more JSON than this go to object storage. Each write of an item is billed for all that is in
 * it, and a lease is renewed every ten seconds.
 */
const inlineBytes = 2 * 1024;
/** A document's text of more bytes than this is put behind a link. */
const inlineTextBytes = 256 * 1024;
/** How long a link to a text works, if the credentials that sign it do. */
const linkSeconds = 3600;

/** Returns the attributes that hold a job's messages; large ones are put into object storage first. */
export async function keepMessages(
  key: JobKey,
  messages: unknown[],
): Promise<Pick<Job, 'messages_json' | 'messages_object'>> {
  const json = JSON.stringify(messages);
  if (isShort(json)) return { messages_json: json };
  return { messages_object: await put(`${folderOf(key)}/messages.json`, json) };
}

/** Reads a job's messages from wherever they are. */
export async function messagesOf(job: Job): Promise<Message[]> {
  return JSON.parse(job.messages_json ?? (await get(job.messages_object)));
}

const toGzip = promisify<string, Buffer>(gzip);
const fromGzip = promisify<Uint8Array, Buffer>(gunzip);

type KeptResult = Pick<Job, 'result_json' | 'result_object' | 'text_object'>;

/**
 * Returns the attributes that hold a result; a large one is put into object storage first. Each attempt has
 * objects of its own, so that none overwrites another's.
 */
export async function keepResult(job: ClaimedJob, whole: JobResult): Promise<KeptResult> {
  const { result, text } = withoutLongText(whole);
  const kept = text !== undefined && {
    text_object: await putText(job, `text-${job.lease_id}`, text),
  };
  const json = JSON.stringify(result);
  if (isShort(json)) return { result_json: json, ...kept };
  return {
    result_json: JSON.stringify(summaryOf(result)),
    result_object: await put(`${folderOf(job)}/result-${job.lease_id}.json`, json),
    ...kept,
  };
}

/** Returns the attribute that holds a short result; undefined for one that goes to object storage. */
export function inlineResult(result: JobResult): { result_json: string } | undefined {
  const result_json = JSON.stringify(result);
  return isShort(result_json) ? { result_json } : undefined;
}

const isShort = (json: string) => Buffer.byteLength(json) <= inlineBytes;

/** Reads a job's result as JSON, without links. */
export async function keptResult(job: Job): Promise<string | undefined> {
  return job.result_object ? await get(job.result_object) : job.result_json;
}

/** Reads the whole result of a job that took fields; undefined if there is none. */
export async function wholeExtract(job: Job): Promise<ExtractResult | undefined> {
  const json = job.text_object ? await getText(job.text_object) : await keptResult(job);
  return json === undefined ? undefined : (JSON.parse(json) as ExtractResult);
}

/** Reads a job's whole result as JSON for callers: a text too long for it is behind a signed link. */
export async function wholeResult(job: Job): Promise<string | undefined> {
  const json = await keptResult(job);
  if (!json || !job.text_object) return json;
  const url = await signedUrl(job.text_object, linkSeconds);
  return JSON.stringify(withUrl(JSON.parse(json) as JobResult, url));
}

/** Puts a document's pages into object storage, for the job that is asked about them. Returns their object. */
export function putDocument(key: JobKey, pages: string[]): Promise<string> {
  return put(`${folderOf(key)}/document.json`, JSON.stringify(pages));
}

/** Reads a document's pages. */
export async function getDocument(object: string): Promise<string[]> {
  return JSON.parse(await get(object));
}

/** Puts a text of a job's into object storage. Returns its object. */
export function putText(key: JobKey, name: string, text: string): Promise<string> {
  return put(`${folderOf(key)}/${name}`, text, 'text/plain; charset=utf-8');
}

/** Returns the text in a file if it is short; else puts it into object storage and returns its object. */
export async function keepFile(
  key: JobKey,
  name: string,
  path: string,
): Promise<{ text?: string; text_object?: string }> {
  if ((await stat(path)).size <= inlineTextBytes) return { text: await readFile(path, 'utf8') };
  const text_object = `${folderOf(key)}/${name}`;
  const ContentType = 'text/plain; charset=utf-8';
  const Body = createReadStream(path);
  const params = { Bucket: setting('OBJECTS_BUCKET'), Key: text_object, Body, ContentType };
  await new Upload({ client: s3, params, queueSize: 2 }).done();
  return { text_object };
}

/** Puts a text of a job's, compressed. Returns its object. */
export async function putCompressed(key: JobKey, name: string, text: string): Promise<string> {
  return putBytes(key, name, await toGzip(text), 'application/gzip');
}

/** Reads a text that `putCompressed` has put. */
export async function getCompressed(object: string): Promise<string> {
  return (await fromGzip(await getBytes(object))).toString();
}

/** Puts bytes of a job's into object storage. Returns their object. */
export function putBytes(
  key: JobKey,
  name: string,
  bytes: Uint8Array,
  type: string,
): Promise<string> {
  return put(`${folderOf(key)}/${name}`, bytes, type);
}

/** Reads an object's bytes. */
export async function getBytes(object: string): Promise<Uint8Array> {
  const { Body } = await s3.send(
    new GetObjectCommand({ Bucket: setting('OBJECTS_BUCKET'), Key: object }),
  );
  if (!Body) throw new Error(`The object ${object} is empty`);
  return Body.transformToByteArray();
}

/** Reads a text that `putText` has put. */
export const getText = (object: string) => get(object);

/** What the names of a job's objects begin with. */
export const folderOf = ({ key_id, job_id }: JobKey) => `${key_id}/${job_id}`;

/** Reads the names of a job's objects, a page of them at a time. */
export async function* objectsOf(key: JobKey): AsyncGenerator<string[]> {
  const names = { Bucket: setting('OBJECTS_BUCKET'), Prefix: `${folderOf(key)}/` };
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, names)) {
    yield Contents.flatMap(({ Key }) => Key ?? []);
  }
}

/** Deletes an object; one that isn't there is deleted. */
export async function deleteObject(object: string): Promise<void> {
  await s3.send(new DeleteObjectCommand({ Bucket: setting('OBJECTS_BUCKET'), Key: object }));
}

/** Copies an object to another name. */
export async function copyObject(from: string, to: string): Promise<void> {
  const Bucket = setting('OBJECTS_BUCKET');
  const CopySource = `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`;
  await s3.send(new CopyObjectCommand({ Bucket, Key: to, CopySource }));
}

async function put(
  object: string,
  body: string | Uint8Array,
  type = 'application/json',
): Promise<string> {
  await s3.send(
    new PutObjectCommand({
      Bucket: setting('OBJECTS_BUCKET'),
      Key: object,
      Body: body,
      ContentType: type,
    }),
  );
  return object;
}

const get = async (object = '') => Buffer.from(await getBytes(object)).toString();

/** A result; and its text, if that is too long to be part of it. */
interface Split {
  result: JobResult;
  text?: string;
}

/** Takes a document's text out of its result if it is too long to be sent within it. */
function withoutLongText(result: JobResult): Split {
  if (result.type === 'pipeline') {
    const { result: ocr, text } = withoutLongText(result.ocr);
    return text === undefined ? { result } : { result: { ...result, ocr: ocr as OcrResult }, text };
  }
  if (result.type === 'extract') {
    const text = JSON.stringify(result);
    return isLong(text) ? { result: withoutFields(result), text } : { result };
  }
  const text = textOf(result);
  if (typeof text !== 'string' || !isLong(text)) return { result };
  return { result: withoutText(result), text };
}

const isLong = (text: string) => Buffer.byteLength(text) > inlineTextBytes;

/** What is left of an extraction whose whole is behind a link. */
const withoutFields = (result: ExtractResult): ExtractResult => ({
  ...result,
  data: null,
  evidence: [],
  coverage: { pages: [], arrays: result.coverage.arrays.map((each) => ({ ...each, missing: [] })) },
});

/** What a list shows of a result that lies in object storage: all but its text. */
function summaryOf(result: JobResult): JobResult {
  if (result.type === 'chat') return { ...result, content: null };
  if (result.type === 'pipeline') {
    const chat = result.chat && { ...result.chat, content: null };
    return { ...result, ocr: { ...withoutText(result.ocr), pages: [] } as OcrResult, chat };
  }
  if (result.type === 'extract') return withoutFields(result);
  if (result.type === 'folder') return { ...result, failed_files: [], left_out: [] };
  return result.type === 'ocr' ? { ...result, text: null, pages: [] } : withoutText(result);
}

/** Puts a link to its text into a result. */
function withUrl(result: JobResult, url: string): object {
  return result.type === 'pipeline'
    ? { ...result, ocr: { ...result.ocr, url } }
    : { ...result, url };
}

function textOf(result: JobResult): string | null | undefined {
  if (result.type === 'ocr') return result.text;
  return result.type === 'chat_batch' ? result.content : undefined;
}

function withoutText<Result extends JobResult>(result: Result): Result {
  if (result.type === 'ocr') {
    const pages = result.pages.map((page) => ({ ...page, text: null }));
    return { ...result, text: null, pages };
  }
  return result.type === 'chat_batch'
    ? ({ ...(result as ChatBatchResult), content: null } as Result)
    : result;
}
