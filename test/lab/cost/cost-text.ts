import { aligned } from '../../../lib/cli/text.ts';
import { cost, costBeyondAllowances, costs, sum, times, type Use } from './bill.ts';
import {
  logBytes,
  type Priced,
  pricesOf,
  textractPagesPerSecond,
  textractSeconds,
} from './prices.ts';
import type { Counted } from './runs.ts';
import { type FunctionWork, useOf, type Work } from './work.ts';

/** A kind of work, and what one of it uses. */
export interface UseRow {
  name: string;
  use: Use;
}

/** A month at rest under some settings. */
export interface IdleRow {
  setting: string;
  use: Use;
}

/** All that is told of what the service costs. */
export interface CostReport {
  work: UseRow[];
  idle: IdleRow[];
  metrics: Counted['metrics'];
}

const request: Use = { gatewayRequest: 1, logGb: logBytes.request / 1e9 };

/** Pages of one document that a worker reads at once. */
const pagesAtOnce = 8;

/** How many workers share the pace of Textract when all of them have documents. */
const ocrWorkers = 10;

const completions = 'create-chat-completion';

/** The least memory that completions may have: waiting costs least with it. */
const smallMb = 256;
const smallSetting = `\`quire:completionsMemoryMb=${smallMb}\``;

/** Returns what one of each kind of work uses: as it was counted, with the time that models and Textract take. */
export function workRows(counted: Counted): UseRow[] {
  const { completion, alone, streamed3, streamed30, job2Kb5s, job100Kb60s, jobMs, textPage } =
    counted;
  const call = (name: string, work: Work, seconds: number) => ({
    name,
    use: sum(request, useOf(waiting(work, completions, seconds * 1000))),
  });
  const smaller = withMemory(completion, completions, smallMb);
  const job = (name: string, work: Work, ms: number, atOnce: number) => ({
    name,
    use: sum(request, useOf(working(work, 'run-chat-job', ms, atOnce))),
  });
  const page = (name: string, secondsEach: number) => ({
    name,
    use: sum(
      { textractPage: 1 },
      useOf(working(counted.ocrPage, 'run-ocr-job', secondsEach * 1000)),
    ),
  });
  const drawSeconds = counted.ocrPageMs / 1000;
  return [
    call('completions of 3 s', completion, 3),
    call('the same, each alone', alone, 3),
    call('the same, streamed', streamed3, 3),
    call(`completions of 3 s, ${smallSetting}`, smaller, 3),
    call('completions of 30 s', completion, 30),
    call('the same, streamed', streamed30, 30),
    call(`completions of 30 s, ${smallSetting}`, smaller, 30),
    job('chat jobs of 2 KB and 5 s, ten a worker', job2Kb5s, jobMs.job2Kb5s, 10),
    job('the same, one a worker', job2Kb5s, jobMs.job2Kb5s, 1),
    job('chat jobs of 100 KB and 60 s, ten a worker', job100Kb60s, jobMs.job100Kb60s, 10),
    page(
      'pages read by Textract, one document',
      Math.max(
        drawSeconds,
        (drawSeconds + textractSeconds) / pagesAtOnce,
        1 / textractPagesPerSecond,
      ),
    ),
    page('the same, ten workers at its pace', ocrWorkers / textractPagesPerSecond),
    { name: 'pages with a text layer', use: useOf(textPage) },
  ];
}

/** The work with another memory of one of its functions. */
const withMemory = (work: Work, name: string, memoryMb: number): Work => ({
  ...work,
  [name]: { ...workOf(work, name), memoryMb },
});

/** The work of a function that waits for a model as well. */
function waiting(work: Work, name: string, waitMs: number): Work {
  const own = workOf(work, name);
  return { ...work, [name]: { ...own, durationMs: own.durationMs + waitMs } };
}

/** The work of a worker that has a piece of work for so long, and so many of them at once. */
function working(work: Work, name: string, ms: number, atOnce = 1): Work {
  const own = workOf(work, name);
  return { ...work, [name]: { ...own, durationMs: ms / atOnce, invocations: 1 / atOnce } };
}

function workOf(work: Work, name: string): FunctionWork {
  const own = work[name];
  if (!own) throw new Error(`${name} was not seen to do anything`);
  return own;
}

const columns: [title: string, parts: Priced[]][] = [
  ['functions', ['lambdaGbSecond', 'lambdaRequest']],
  ['DynamoDB', ['writeUnit', 'readUnit']],
  ['gateway', ['gatewayRequest']],
  ['SQS, S3', ['queueRequest', 'objectPut', 'objectGet']],
  ['logs', ['logGb']],
  ['Textract', ['textractPage']],
];

const idleColumns: [title: string, parts: Priced[]][] = [
  ['polling', ['queueRequest']],
  ['schedules', ['lambdaGbSecond', 'lambdaRequest', 'writeUnit', 'readUnit', 'logGb']],
  ['secrets, keys', ['secret', 'key']],
  ['alarms', ['alarmMetric']],
  ['dashboard, metrics', ['dashboard', 'metric']],
  ['web ACL', ['webAcl', 'webAclRule']],
];

const million = 1_000_000;

/** The dollars for a million of each kind of work, as rows of a table with a head. */
export function workTable(rows: UseRow[]): string[][] {
  const body = rows.map(({ name, use }) => {
    const million_ = times(use, million);
    return [name, ...parts(million_, columns, usdOfMillion), usdOfMillion(cost(million_))];
  });
  return [['a million', ...columns.map(([title]) => title), 'in all'], ...body];
}

/** The dollars for a month at rest under each setting, by list price and beyond an account's allowances. */
export function idleTable(rows: IdleRow[]): string[][] {
  const body = rows.map(({ setting, use }) => [
    setting,
    ...parts(use, idleColumns, usd),
    usd(cost(use)),
    usd(costBeyondAllowances(use)),
  ]);
  const titles = idleColumns.map(([title]) => title);
  return [['a month at rest', ...titles, 'list price', 'beyond allowances'], ...body];
}

function parts(use: Use, of: typeof columns, write: (usd: number) => string): string[] {
  const each = costs(use);
  return of.map(([, names]) => write(names.reduce((total, name) => total + (each[name] ?? 0), 0)));
}

const usdOfMillion = (amount: number) =>
  amount < 0.05 ? '–' : `$${amount.toFixed(amount < 10 ? 1 : 0)}`;
const usd = (amount: number) => (amount < 0.005 ? '–' : `$${amount.toFixed(2)}`);

/** Writes both tables for a terminal. */
export function describeReport({ work, idle, metrics }: CostReport): string {
  return [aligned(workTable(work)), aligned(idleTable(idle)), notes(metrics)].join('\n\n');
}

/** Writes both tables as Markdown. */
export function markdownReport({ work, idle, metrics }: CostReport): string {
  return [markdown(workTable(work)), markdown(idleTable(idle)), notes(metrics)].join('\n\n');
}

function markdown([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${'---:|'.repeat(head.length - 1)}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const notes = ({ busy }: Counted['metrics']) =>
  `List prices of ${pricesOf.region}, ${pricesOf.month}, in US dollars, without what models cost and what leaves AWS. ` +
  `Metrics of our own add $0.30 a month for each that has figures all month: ${busy} had some in these runs.`;
