import pLimit from 'p-limit';
import { setting } from '../../config.ts';
import type { DocumentKind } from '../../documents/kind.ts';
import { toNanoUsd, toUsd } from '../../ledger/terms/nano-usd.ts';
import { assumedAnswerTokens, type CostRange, sumOf } from '../../models/call-cost.ts';
import type { SourceJob } from '../sources/source-job.ts';
import { countPages, maxCountedBytes, onePage } from './count-pages.ts';
import { askingCost, type KnownDocument, readingOf } from './document-costs.ts';
import type { JobEstimate } from './estimate.ts';

/** A document whose pages may be counted. */
interface Fetchable {
  kind: DocumentKind | undefined;
  mimeType: string;
  bytes: number | undefined;
  /** Writes it to a path. */
  fetch(path: string): Promise<void>;
}

/** Documents that are opened at once. */
const opening = pLimit(4);

/** Adds up the estimated cost of a job. */
export class EstimateTotal {
  readonly estimate: JobEstimate = {
    dry_run: true,
    files: { found: 0, pending: 0, skipped: 0, unsupported: 0, unreadable: 0 },
    left_out: [],
    left_out_more: 0,
    subfolders: { found: 0, listed: 0 },
    pages: { known: 0, unknown_files: 0, assumed_each: setting('DOCUMENT_LIMITS').pages },
    max_cost_usd: 0,
    likely_cost_usd: 0,
    assumed_answer_tokens: assumedAnswerTokens,
    unbounded_files: 0,
    is_complete: true,
  };
  readonly job: SourceJob;
  /** Aborts when the time is up: then what is not known yet is assumed. */
  readonly signal: AbortSignal;

  constructor(job: SourceJob, signal: AbortSignal) {
    this.job = job;
    this.signal = signal;
  }

  /** Adds documents that one job works on as one. */
  async addDocuments(documents: readonly Fetchable[]): Promise<void> {
    const { job, estimate } = this;
    const known = await Promise.all(documents.map((document) => this.known(document)));
    const readings = known.map((document) => readingOf(job, document));
    for (const { pageCount } of readings) {
      if (pageCount === undefined) estimate.pages.unknown_files += 1;
      else estimate.pages.known += pageCount;
    }
    const costs = [...readings, askingCost(job, readings)];
    if (!costs.every(({ isWhole }) => isWhole)) estimate.unbounded_files += documents.length;
    this.addCosts(costs);
  }

  addCosts(costs: readonly CostRange[]): void {
    const { estimate } = this;
    const { maxNanoUsd, likelyNanoUsd } = sumOf(costs);
    estimate.max_cost_usd = toUsd(toNanoUsd(estimate.max_cost_usd) + maxNanoUsd);
    estimate.likely_cost_usd = toUsd(toNanoUsd(estimate.likely_cost_usd) + likelyNanoUsd);
  }

  /** Returns what is known of a document; a small PDF is opened for it. */
  private async known({ kind, mimeType, bytes, fetch }: Fetchable): Promise<KnownDocument> {
    if (kind === 'image' && mimeType !== 'image/tiff') return { kind, bytes, counted: onePage };
    const isSmall = bytes !== undefined && bytes <= maxCountedBytes;
    if (kind !== 'pdf' || !isSmall) return { kind, bytes, counted: undefined };
    const counted = await opening(() => countPages(this.job, fetch, this.signal));
    return { kind, bytes, counted };
  }
}
