import type { BatchStatsReport, ModelDay, StatsReport } from '../../../shared/usage/reports.ts';
import { root } from '../api/call.ts';
import { Copy } from '../parts/copy.tsx';
import { count, usd } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { linkTo } from '../route.ts';
import { colourOf, SpendPlot } from './spend-plot.tsx';

interface ModelSum {
  model: string;
  requests: number;
  failed: number;
  tokens: number;
  pages: number;
  cost: number;
}

/** What was spent in a period: sums, a plot by day, and the same as tables. */
export function Spend({ report }: { report: StatsReport }) {
  const { days, tokens, requests, estimated_cost_usd } = report;
  if (requests === 0) {
    return <Starts />;
  }
  const models = sumByModel(days);
  const failed = models.reduce((sum, each) => sum + each.failed, 0);
  return (
    <>
      <dl class="figures">
        <Figure name="Spent" text={usd(estimated_cost_usd)} />
        <Figure name="Requests" text={count(requests)} />
        <Figure name="Failed" text={count(failed)} />
        <Figure
          name="Tokens"
          text={count(tokens.total)}
          note={`${count(tokens.prompt)} in, ${count(tokens.completion)} out`}
        />
      </dl>
      <div class="by-day-and-model">
        <SpendPlot days={days} models={models.map(({ model }) => model)} period={report.period} />
        <ByModel models={models} total={estimated_cost_usd} />
      </div>
      <details>
        <summary>By day</summary>
        <ByDay days={days} />
      </details>
    </>
  );
}

function Figure({ name, text, note }: { name: string; text: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {text} {note && <small>{note}</small>}
      </dd>
    </div>
  );
}

/** Sums up days by model, the dearest first. */
function sumByModel(days: readonly ModelDay[]): ModelSum[] {
  return [...Map.groupBy(days, ({ model }) => model)]
    .map(([model, of]) => ({
      model,
      requests: sum(of, ({ requests }) => requests),
      failed: sum(of, ({ failed_requests }) => failed_requests),
      tokens: sum(of, ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens),
      pages: sum(of, ({ pages }) => pages),
      cost: sum(of, ({ cost_usd }) => cost_usd),
    }))
    .sort((a, b) => b.cost - a.cost || b.requests - a.requests);
}

const sum = <Day,>(days: readonly Day[], figure: (day: Day) => number) =>
  days.reduce((total, day) => total + figure(day), 0);

function ByModel({ models, total }: { models: ModelSum[]; total: number }) {
  return (
    <Table
      label="Use by model"
      columns={['Model', 'Spent', 'Requests', 'Failed', 'Tokens', 'Pages']}
    >
      {models.map(({ model, cost, requests, failed, tokens, pages }, index) => (
        <tr key={model}>
          <th scope="row">
            <span class="swatch" style={{ background: colourOf(index) }} aria-hidden="true" />
            {model}
            <span
              class="share"
              style={{
                width: `${total > 0 ? (cost / total) * 100 : 0}%`,
                background: colourOf(index),
              }}
            />
          </th>
          <td>
            {usd(cost)} <small>{total > 0 && `${Math.round((cost / total) * 100)} %`}</small>
          </td>
          <td>{count(requests)}</td>
          <td>{count(failed)}</td>
          <td>{count(tokens)}</td>
          <td>{count(pages)}</td>
        </tr>
      ))}
    </Table>
  );
}

function ByDay({ days }: { days: ModelDay[] }) {
  return (
    <Table
      label="Use by day and model"
      columns={['Day (UTC)', 'Model', 'Spent', 'Requests', 'Tokens']}
    >
      {days.toReversed().map((day) => (
        <tr key={`${day.date} ${day.model}`}>
          <th scope="row">{day.date}</th>
          <td class="text">{day.model}</td>
          <td>{usd(day.cost_usd)}</td>
          <td>{count(day.requests)}</td>
          <td>{count(day.prompt_tokens + day.completion_tokens)}</td>
        </tr>
      ))}
    </Table>
  );
}

const call = `curl ${root}v1/chat/completions \\
  -H "Authorization: Bearer $KEY" \\
  -d '{"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Hello"}]}'`;

/** First steps for a key that was not used yet. */
function Starts() {
  return (
    <>
      <p class="note">Nothing was used in this period. What you do shows here within seconds:</p>
      <div class="starts">
        <article>
          <h3>Ask a model</h3>
          <p class="note">Files, images and the web may go along.</p>
          <a href={linkTo('playground')}>Open the playground</a>
        </article>
        <article>
          <h3>Read a folder</h3>
          <p class="note">
            Each file is read; fields are taken from it, with their places on the page.
          </p>
          <a href={linkTo('jobs', 'new')}>Submit a job</a>
        </article>
        <article>
          <h3>Call it from code</h3>
          <pre>
            <code>{call}</code>
          </pre>
          <Copy text={call} />
        </article>
      </div>
    </>
  );
}

const tagNames: Record<string, string> = {
  batch: 'All jobs',
  'batch:chat': 'Answers',
  'batch:embeddings': 'Embeddings',
  'batch:ocr': 'Reading',
  'batch:pipeline': 'Reading, then an answer',
  'batch:extract': 'Fields of documents',
};

/** The usage of jobs by kind, and how many are in each status. */
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
        {sumByTag(days).map(({ tag, ...use }) => (
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
  return [...Map.groupBy(days, ({ tag }) => tag)]
    .map(([tag, of]) => ({
      tag,
      spend: sum(of, ({ spend_usd }) => spend_usd),
      requests: sum(of, ({ requests }) => requests),
      failed: sum(of, ({ failed_requests }) => failed_requests),
      tokens: sum(of, ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens),
      images: sum(of, ({ images }) => images),
    }))
    .sort((a, b) => (a.tag < b.tag ? -1 : 1));
}
