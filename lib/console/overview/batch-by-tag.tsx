import type { BatchStatsReport } from '../../../shared/usage/reports.ts';
import { count, usd } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';

const tagNames: Record<string, string> = {
  batch: 'All jobs',
  'batch:chat': 'Answers',
  'batch:embeddings': 'Embeddings',
  'batch:ocr': 'Reading',
  'batch:pipeline': 'Reading, then an answer',
  'batch:extract': 'Fields of documents',
};

/** What jobs used, by their kind, and how many stand where. */
export function BatchByTag({ report: { days, jobs } }: { report: BatchStatsReport }) {
  const byStatus = Object.entries(jobs).filter(([, jobsOf]) => jobsOf > 0);
  if (days.length === 0 && byStatus.length === 0) {
    return (
      <p class="empty">
        No job ran in this period. A <a href="#/jobs/new">job</a> reads a document or a whole
        folder, or puts a question to a model, while you do something else.
      </p>
    );
  }
  return (
    <>
      <p class="legend">
        {byStatus.map(([status, jobsOf]) => (
          <span key={status} class={`status ${status}`}>
            {count(jobsOf)} {status}
          </span>
        ))}
      </p>
      <Table
        label="Use of jobs by kind"
        columns={['Kind', 'Spent', 'Calls', 'Failed', 'Tokens', 'Pages read']}
      >
        {sumByTag(days).map(([tag, use]) => (
          <tr key={tag}>
            <th scope="row">{tagNames[tag] ?? tag}</th>
            <td>{usd(use.spend)}</td>
            <td>{count(use.requests)}</td>
            <td>{count(use.failed)}</td>
            <td>{count(use.tokens)}</td>
            <td>{count(use.images)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function sumByTag(days: BatchStatsReport['days']) {
  const none = { spend: 0, requests: 0, failed: 0, tokens: 0, images: 0 };
  const sums = new Map<string, typeof none>();
  for (const day of days) {
    const sum = sums.get(day.tag) ?? none;
    sums.set(day.tag, {
      spend: sum.spend + day.spend_usd,
      requests: sum.requests + day.requests,
      failed: sum.failed + day.failed_requests,
      tokens: sum.tokens + day.prompt_tokens + day.completion_tokens,
      images: sum.images + day.images,
    });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
}
