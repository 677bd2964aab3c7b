import { aligned, dollars, printable } from '../../../lib/cli/text.ts';
import type { DocumentReport, Report } from './evaluate.ts';
import { type DocumentScore, precisionOf, recallOf, type Score } from './score.ts';

/** Describes what was right, document by document and in all, and what it cost. */
export function describeReport(report: Report): string {
  const { documents, total } = report;
  const quality = aligned([
    [
      'document',
      'pages',
      'lost',
      'values',
      'evidence',
      'rows',
      'missing',
      'doubled',
      'moved',
      'seconds',
    ],
    ...documents.map((document) => [
      printable(document.file),
      `${document.pages}`,
      `${document.pages_lost}`,
      ...figuresOf(document.score),
      document.seconds.toFixed(1),
    ]),
    [
      'in all',
      `${report.pages}`,
      `${report.pages_lost}`,
      ...figuresOf(total),
      report.seconds.toFixed(1),
    ],
  ]);
  const failures = documents
    .filter(({ error }) => error !== null)
    .map(({ file, error }) => `${printable(file)}: ${printable(error ?? '')}`);
  return [
    quality,
    'Values, evidence and rows: precision, recall. Lost: pages that failed or were left out. Moved: rows out of order.',
    ...(failures.length > 0 ? [failures.join('\n')] : []),
    doubtsIn(total),
    costsOf(report),
  ].join('\n\n');
}

function figuresOf({ values, evidence, rows }: DocumentScore): string[] {
  return [
    both(values),
    both(evidence),
    both(rows),
    `${rows.missing}`,
    `${rows.doubled + rows.invented}`,
    `${rows.out_of_order}`,
  ];
}

const both = (score: Score) =>
  score.expected + score.returned === 0
    ? '-'
    : `${share(precisionOf(score))} ${share(recallOf(score))}`;

/** Rounded down, so that only what is whole reads as 1. */
const share = (value: number) => (Math.floor(value * 1000) / 1000).toFixed(3);

/** What the service says of its own results, beside what is so. */
function doubtsIn({ wrong, rows, evidence }: DocumentScore): string {
  const overlap =
    evidence.overlap === null
      ? []
      : [`Right places cover ${share(evidence.overlap)} of theirs and the true box together.`];
  return [
    `Of ${wrong.values} wrong values ${wrong.marked} are marked as not found.`,
    `Of ${rows.missing} missing rows ${rows.told_missing} are told as missing.`,
    ...overlap,
  ].join(' ');
}

function costsOf(report: Report): string {
  const { documents, pages, reading_usd, extraction_usd, pipeline_usd } = report;
  const rowOf = (name: string, usd: number) => [
    name,
    dollars(usd),
    dollars(usd / Math.max(1, documents.length)),
    dollars(usd / Math.max(1, pages)),
  ];
  return aligned([
    ['cost', 'in all', 'a document', 'a page'],
    rowOf('reading', reading_usd),
    rowOf('extraction', extraction_usd),
    ...(pipeline_usd === null ? [] : [rowOf("pipeline's model", pipeline_usd)]),
  ]);
}

/** The least of all precisions and recalls that say something. */
export function leastOf({ values, evidence, rows }: DocumentScore): number {
  const scores = [values, evidence, rows].filter(
    ({ expected, returned }) => expected + returned > 0,
  );
  return Math.min(1, ...scores.flatMap((score) => [precisionOf(score), recallOf(score)]));
}

/** The report as JSON has it: with precision and recall beside the counts. */
export function reportRecord(report: Report) {
  return {
    ...report,
    total: scoreRecord(report.total),
    documents: report.documents.map((document: DocumentReport) => ({
      ...document,
      score: scoreRecord(document.score),
    })),
  };
}

const scoreRecord = (score: DocumentScore) => ({
  ...score,
  values: withRates(score.values),
  evidence: withRates(score.evidence),
  rows: withRates(score.rows),
});

const withRates = <Counts extends Score>(score: Counts) => ({
  ...score,
  precision: precisionOf(score),
  recall: recallOf(score),
});
