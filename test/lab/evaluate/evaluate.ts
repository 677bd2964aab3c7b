import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import * as v from 'valibot';
import { CommandError } from '../../../lib/cli/command-line.ts';
import { type EndedJob, remove, type Service, uploadDocument } from '../../../lib/cli/service.ts';
import type { ExpectedDocument } from './expected.ts';
import { Extraction } from './extraction.ts';
import { runJob } from './run-job.ts';
import { type DocumentScore, scoreOf, totalOf } from './score.ts';

/** How an evaluation is made. */
export interface Manner {
  model?: string;
  requireEvidence: boolean;
  besidePipeline: boolean;
}

/** What became of a document. */
export interface DocumentReport {
  file: string;
  job_id: string | null;
  error: string | null;
  pages: number;
  /** Pages that the model was not asked about though something may stand on them. */
  pages_lost: number;
  windows: Extraction['windows'] | null;
  /** Of reading the pages, and of what the model was asked. */
  reading_usd: number;
  extraction_usd: number;
  /** Of what a pipeline's model was asked about the same pages, if that was run too. */
  pipeline_usd: number | null;
  seconds: number;
  score: DocumentScore;
}

export interface Report {
  documents: DocumentReport[];
  total: DocumentScore;
  pages: number;
  pages_lost: number;
  failed: number;
  reading_usd: number;
  extraction_usd: number;
  pipeline_usd: number | null;
  seconds: number;
}

/** More would only wait in the service's queue. */
const documentsAtOnce = 8;

/** Has the service extract a folder's documents, and compares what it returns with what is expected. */
export async function evaluate(
  service: Service,
  folder: string,
  documents: readonly ExpectedDocument[],
  manner: Manner,
  note: (done: number) => void,
): Promise<Report> {
  const absent = documents.find(({ file }) => !existsSync(join(folder, file)));
  if (absent) throw new CommandError(`${join(folder, absent.file)} is not there.`);
  const startedAtMs = Date.now();
  const limit = pLimit(documentsAtOnce);
  let done = 0;
  const reports = await Promise.all(
    documents.map((document) =>
      limit(async () => {
        const report = await evaluateDocument(service, folder, document, manner);
        note(++done);
        return report;
      }),
    ),
  );
  return summed(reports, (Date.now() - startedAtMs) / 1000);
}

async function evaluateDocument(
  service: Service,
  folder: string,
  document: ExpectedDocument,
  manner: Manner,
): Promise<DocumentReport> {
  const file_id = await uploadDocument(service, join(folder, document.file));
  try {
    const job = await runJob(service, extractionOf(document, file_id, manner));
    const pipeline = manner.besidePipeline
      ? await runJob(service, pipelineOf(document, file_id, manner))
      : undefined;
    return reportOf(document, job, pipeline);
  } finally {
    await remove(service, file_id);
  }
}

const inputOf = (file_id: string, { model }: Manner) => ({
  ...{ job_type: 'auto', file_id },
  ...(model !== undefined && { model }),
});

const extractionOf = (document: ExpectedDocument, file_id: string, manner: Manner) => ({
  ...inputOf(file_id, manner),
  extract: {
    schema: document.schema,
    require_evidence: manner.requireEvidence,
    ...(document.instruction !== undefined && { instruction: document.instruction }),
  },
});

/** What one would ask a pipeline for, to have the same fields without their places. */
const pipelineOf = ({ schema }: ExpectedDocument, file_id: string, manner: Manner) => ({
  ...inputOf(file_id, manner),
  pipeline: 'ocr_then_chat',
  pipeline_instruction:
    `Return the document's data as one JSON object of this schema, and nothing else: ${JSON.stringify(
      withoutDescriptions(schema),
    )}`.slice(0, 2_000),
});

/** An instruction has room for 2,000 characters. */
const withoutDescriptions = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'description' ? undefined : value)));

function reportOf(
  document: ExpectedDocument,
  job: EndedJob,
  pipeline: EndedJob | undefined,
): DocumentReport {
  const { id, error, created_at, completed_at } = job;
  const read = v.safeParse(Extraction, job.result);
  const extraction = job.status === 'done' && read.success ? read.output : undefined;
  const reading_usd = extraction?.ocr?.cost_usd ?? 0;
  const chat = (pipeline?.result as { chat?: { cost_usd: number } | null } | undefined)?.chat;
  const seconds = (Date.parse(completed_at) - Date.parse(created_at)) / 1000;
  return {
    ...{ file: document.file, job_id: id, seconds, reading_usd },
    error: extraction ? null : (error ?? `the job is ${job.status}`),
    pages: extraction?.ocr?.page_count ?? 0,
    pages_lost: lostPagesOf(extraction),
    windows: extraction?.windows ?? null,
    extraction_usd: (extraction?.cost_usd ?? 0) - reading_usd,
    pipeline_usd: chat?.cost_usd ?? null,
    score: scoreOf(document, extraction ?? nothing),
  };
}

/** What a document that failed counts as. */
const nothing = { data: null, evidence: [], coverage: { pages: [], arrays: [] } };

const lostPagesOf = (extraction: Extraction | undefined) =>
  (extraction?.coverage.pages ?? []).filter(({ status }) => /failed|left_out/.test(status)).length;

function summed(documents: DocumentReport[], seconds: number): Report {
  const sum = (of: (document: DocumentReport) => number) =>
    documents.reduce((total, document) => total + of(document), 0);
  const compared = documents.filter(({ pipeline_usd }) => pipeline_usd !== null);
  return {
    documents,
    total: totalOf(documents.map(({ score }) => score)),
    pages: sum(({ pages }) => pages),
    pages_lost: sum(({ pages_lost }) => pages_lost),
    failed: documents.filter(({ error }) => error !== null).length,
    reading_usd: sum(({ reading_usd }) => reading_usd),
    extraction_usd: sum(({ extraction_usd }) => extraction_usd),
    pipeline_usd: compared.length > 0 ? sum(({ pipeline_usd }) => pipeline_usd ?? 0) : null,
    seconds,
  };
}
