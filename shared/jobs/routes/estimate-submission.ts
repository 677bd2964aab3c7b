import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { kindOf, mediaTypeOf, sniffedBytes } from '../../documents/kind.ts';
import { requireFile } from '../../files/find-file.ts';
import { readFile } from '../../files/read-file.ts';
import { memory } from '../../http/byte-budget.ts';
import { type CostRange, callCost } from '../../models/call-cost.ts';
import { inlineFileOf, inlineFilesOf } from '../asked/inline-files.ts';
import { askedOf, chatModelOf, isRead, requireJobModel } from '../asked/task.ts';
import type { FolderJob } from '../kinds/folder/folder-job.ts';
import { shownName } from '../results/result.ts';
import { readHead } from '../sources/sniff.ts';
import { canWorkOn, type SourceJob } from '../sources/source-job.ts';
import { type EstimateQuestion, type JobEstimate, withFiles } from './estimate.ts';
import { addDrive } from './estimate-drive.ts';
import { EstimateTotal } from './estimate-total.ts';
import { jobOf } from './job-of.ts';

/** A folder that takes longer to list is estimated in part. */
const listingMs = 18_000;

/** Estimates the pages and cost of a submission, for any input. Nothing is made, held or asked of a model. */
export async function estimateSubmission(question: EstimateQuestion): Promise<JobEstimate> {
  const { keyId, submission, allowedFolders } = question;
  const job = jobOf({ key_id: keyId, job_id: 'job_estimate' }, submission);
  const total = new EstimateTotal(job, AbortSignal.timeout(listingMs));
  using room = memory().room(keyId);
  const { inline, file_id } = await withFiles(keyId, submission, room);
  if (inline) await addMessages(total, inline.messages);
  else if (file_id) await addOwnFile(total, file_id);
  else await addDrive(total, job as FolderJob, allowedFolders);
  return total.estimate;
}

type Messages = readonly { content?: unknown }[];

/** Adds an answer to messages, or what is done with their images and files as one document. */
async function addMessages(total: EstimateTotal, messages: Messages): Promise<void> {
  const { files } = total.estimate;
  const inline = inlineFilesOf([...messages]);
  files.found = inline.length;
  files.pending = inline.length;
  if (!isRead(total.job)) return total.addCosts([messagesCost(total.job, messages)]);
  const documents = inline.map(({ name, isImage, mimeType, bytes }) => ({
    ...sniffed(bytes, mimeType, isImage ? '' : name),
    bytes: bytes.length,
    fetch: (path: string) => writeFile(path, bytes),
  }));
  const readable = documents.filter(({ kind }) => kind);
  files.pending = readable.length;
  files.unsupported = inline.length - readable.length;
  await total.addDocuments(readable);
}

/** The cost of an answer to messages. A file in them fills the context at most; likely its text has as many bytes. */
function messagesCost(job: SourceJob, messages: Messages): CostRange {
  const model = requireJobModel(chatModelOf(askedOf(job)));
  const told = messages.map(({ content, ...message }) => ({
    ...message,
    content: Array.isArray(content) ? content.map(asText) : content,
  }));
  const { maxNanoUsd } = callCost(model, { messages });
  return { maxNanoUsd, likelyNanoUsd: callCost(model, { messages: told }).likelyNanoUsd };
}

function asText(part: unknown): unknown {
  const file = inlineFileOf(part);
  return file ? { type: 'text', text: 'x'.repeat(file.bytes.length) } : part;
}

async function addOwnFile(total: EstimateTotal, id: string): Promise<void> {
  const { files, left_out } = total.estimate;
  const file = await requireFile(total.job.key_id, id);
  const { filename, bytes } = file;
  const document = sniffed(await readHead(readFile(file, { to: sniffedBytes })), '', filename);
  const fetch = (path: string) => pipeline(readFile(file), createWriteStream(path));
  const isPending = canWorkOn(total.job, document.kind);
  files.found = 1;
  files[isPending ? 'pending' : 'unsupported'] = 1;
  if (isPending) return total.addDocuments([{ ...document, bytes, fetch }]);
  left_out.push({ file_id: id, filename: shownName(filename), reason: 'unsupported_file_type' });
}

/** The kind of a file by its first bytes and its name. */
const sniffed = (head: Uint8Array, type: string, name: string) => ({
  kind: kindOf(head, type, name),
  mimeType: mediaTypeOf(head, type, name),
});
