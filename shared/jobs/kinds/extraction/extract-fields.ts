import { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { assemble } from '../../../extract/assemble.ts';
import type { ExtractOutcome } from '../../../extract/outcome.ts';
import { windowsOf } from '../../../extract/windows.ts';
import type { PageWindow } from '../../../extract/words/page.ts';
import { ServiceError } from '../../../http/errors.ts';
import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { newTempDir } from '../../../temp-dir.ts';
import { requireJobModel } from '../../asked/task.ts';
import type { Claimed } from '../../engine/item/job.ts';
import { completeJob } from '../../engine/item/job-end.ts';
import { noteProgress } from '../../engine/item/progress.ts';
import { orGoOn, type RunEnd } from '../../engine/run/run-job.ts';
import { completionOf } from '../../results/keep-result.ts';
import type { ExtractResult, JobResult } from '../../results/result.ts';
import { deliver } from '../../sources/delivery.ts';
import { sumOf } from '../chat/ask.ts';
import { type AskedWindow, askWindows, failureText, type Round } from './ask-windows.ts';
import { specOfJob } from './extract-input.ts';
import type { ExtractionJob } from './extraction-job.ts';
import { type ExtractPage, readPages, withoutWords } from './source-pages.ts';
import { writeTables } from './tables.ts';
import { maxRepairs, windowLimits } from './window-call.ts';

/** The words of a long document take much memory, so documents are searched one at a time. */
const assembling = pLimit(1);

/** Runs the step that takes fields from pages. */
export async function runExtraction(job: Claimed<ExtractionJob>, signal: AbortSignal) {
  return job.stop_reason ? keptFields(job) : extractFields(job, signal);
}

/** Takes fields from the pages that another job has read. */
async function extractFields(job: Claimed<ExtractionJob>, signal: AbortSignal): Promise<RunEnd> {
  let calls = 0;
  const onCall = () => {
    calls += 1;
  };
  const extraction = new Extraction({ job, signal, onCall });
  const hasMoved = () => calls > 0;
  return orGoOn(job, signal, hasMoved, async () => {
    const result = await extraction.run();
    return completionOf(job, result, await deliverExtract(job, result));
  });
}

/** Writes fields beside their source on the drive, and their tables if they are wanted. */
async function deliverExtract(job: Claimed<ExtractionJob>, result: ExtractResult) {
  const content = {
    suffix: '.extract.json',
    mimeType: 'application/json',
    text: `${JSON.stringify(result, null, 2)}\n`,
  } as const;
  if (!job.extract?.table) return deliver(job, content);
  await using folder = await newTempDir();
  // The step answers for the job that was submitted.
  const document = { job_id: job.parent_job_id ?? job.job_id, job, result };
  const tables = await writeTables(specOfJob(job), Readable.from([document]), folder.path);
  return await deliver(job, content, tables);
}

/** Ends a job that was stopped with the fields that were answered by then, which were paid for. */
async function keptFields(job: Claimed<ExtractionJob>): Promise<JobResult | RunEnd> {
  const { signal } = new AbortController();
  const extraction = new Extraction({ job, signal, onCall: () => {}, keptOnly: true });
  return (await extraction.kept()) ?? (() => completeJob(job));
}

type Asking = Pick<Round['question'], 'job' | 'signal'> & Pick<Round, 'onCall' | 'keptOnly'>;

/** The windows of a document as they are asked and answered. */
class Extraction {
  private readonly asking: Asking;
  private readonly asked: AskedWindow[] = [];
  private repairs = 0;

  constructor(asking: Asking) {
    this.asking = asking;
  }

  async run(): Promise<ExtractResult> {
    await this.askAll();
    const [first] = this.asked;
    if (first && this.asked.every(({ answer }) => !answer)) throw nothingAnswered(first.failure);
    return this.repaired();
  }

  /** What was answered before; undefined if nothing was. */
  async kept(): Promise<ExtractResult | undefined> {
    await this.askAll();
    return this.asked.some(({ answer }) => answer) ? this.repaired() : undefined;
  }

  private async askAll(): Promise<void> {
    const pages = await this.pages(withoutWords);
    const { job } = this.asking;
    const spec = specOfJob(job);
    const model = requireJobModel(job.model);
    const limits = windowLimits(model, spec, job.extract?.instruction);
    await this.ask(pages, windowsOf(spec, pages, limits), { round: 0 });
  }

  /** Joins the answers, and asks for the rows that are missing as long as there are some. */
  private async repaired(): Promise<ExtractResult> {
    for (let round = 1; ; round += 1) {
      const { outcome, pages } = await assembling(() => this.joined());
      const isLast = round > maxRepairs || outcome.missed.size === 0;
      if (isLast) return this.resultOf(outcome, pages);
      const before = this.asked.length;
      const windows = this.windows.filter(({ index }) => outcome.missed.has(index));
      await this.ask(pages, windows, { round, missedIn: outcome.missed });
      this.repairs += this.asked.slice(before).filter(({ calls }) => calls.length > 0).length;
    }
  }

  private get windows(): PageWindow[] {
    return this.asked.filter(({ answer }) => answer).map(({ window }) => window);
  }

  private async joined(): Promise<{ outcome: ExtractOutcome; pages: ExtractPage[] }> {
    const pages = await this.pages((page) => page);
    const answers = this.asked.flatMap(({ answer }) => answer ?? []);
    const outcome = assemble(specOfJob(this.asking.job), pages, answers);
    // A repair shows lines as the words stand.
    const missed = new Set([...outcome.missed.values()].flat().map(({ page }) => page));
    const needed = pages.map((page) => (missed.has(page.page) ? page : withoutWords(page)));
    return { outcome, pages: needed };
  }

  private pages(take: (page: ExtractPage) => ExtractPage): Promise<ExtractPage[]> {
    return readPages(this.asking.job.document_object, take);
  }

  private async ask(
    pages: ExtractPage[],
    windows: PageWindow[],
    round: Pick<Round, 'round' | 'missedIn'>,
  ): Promise<void> {
    const { job, signal, ...how } = this.asking;
    const question = { job, signal, spec: specOfJob(job), model: requireJobModel(job.model) };
    const counts = { done: 0, failed: 0 };
    const note = () => noteProgress(job, { ...counts, total: windows.length, unit: 'windows' });
    const onWindow = (isAnswered: boolean) => {
      counts[isAnswered ? 'done' : 'failed'] += 1;
      note();
    };
    note();
    const asked = { ...how, ...round, question, pages, onWindow };
    this.asked.push(...(await askWindows(asked, windows)));
  }

  private resultOf(outcome: ExtractOutcome, pages: ExtractPage[]): ExtractResult {
    const { data, evidence, coverage } = outcome;
    const { usage, cost } = sumOf(this.asked.flatMap(({ calls }) => calls));
    const first = this.asked.slice(0, this.asked.length - this.repairs);
    return {
      type: 'extract',
      data,
      evidence: evidence.map((each) => ({ ...each, boxes: each.boxes.map((box) => [...box]) })),
      coverage: {
        pages: coverage.pages.map((covered, index) => ({
          ...covered,
          ...this.whyNot(covered.status, pages[index]),
          ...(pages[index]?.turn && { turn: pages[index].turn }),
        })),
        arrays: coverage.arrays.map((array) => ({
          ...array,
          missing: array.missing.map(({ box, ...row }) => ({ ...row, box: box && [...box] })),
        })),
      },
      schema: specOfJob(this.asking.job).schema as Record<string, unknown>,
      windows: {
        total: first.length,
        repairs: this.repairs,
        failed: first.filter(({ answer }) => !answer).length,
      },
      usage,
      cost_usd: toUsd(cost),
      ocr: null,
    };
  }

  /** Why a page was not put to the model, or not read. */
  private whyNot(status: string, page: ExtractPage | undefined): { reason?: string } {
    if (!page) return {};
    if (status === 'failed' && page.reason) return { reason: page.reason };
    if (status !== 'left_out') return {};
    const failed = this.asked.find(
      ({ window, answer }) => !answer && window.first <= page.page && page.page <= window.last,
    );
    return failed ? { reason: failureText(failed.failure) } : {};
  }
}

/** The error of a document of which no window was answered. */
function nothingAnswered(failure: unknown): unknown {
  if (failure instanceof ServiceError) return failure;
  return new ServiceError(422, 'invalid_answer', failureText(failure).replace(/^[a-z_]+: /, ''));
}
