import * as limits from '../keys/limits-report.ts';
import { catalogue } from '../models/catalogue.ts';
import * as reports from '../usage/reports.ts';
import { validationErrors } from './error-answers.ts';
import { component, json, operation, parameters } from './operation.ts';

const useDescriptions = {
  requests: 'How many calls of a model or an OCR engine.',
  successful_requests: 'Those that succeeded.',
  failed_requests: 'Those that failed; what they produced is counted all the same.',
  prompt_tokens: 'Tokens of what was asked.',
  completion_tokens: 'Tokens of the answers.',
  images: 'Images read.',
  spend_usd: 'What they cost, in USD.',
};

const budgetDescriptions = {
  max_usd: 'The budget.',
  used_usd: 'What has been spent.',
  remaining_usd: 'What is left, less what running requests may come to.',
  held_usd:
    'The most that running requests may come to; what they don’t cost comes back when they end.',
  unlimited:
    'Whether the key has no budget. `max_usd` is then the largest that is counted exactly.',
  reset_at: 'When it renews; null where it never does.',
  duration: 'How long it lasts, by a calendar about: a number and `s`, `m`, `h`, `d`, `w` or `mo`.',
  calendar: 'The calendar by which it renews, and its time zone; null if by none.',
  reset_at_local: 'When it renews, by the clock of the calendar’s zone and with its offset.',
};

export const components = {
  LimitsReport: component(limits.LimitsReport, 'What a key may spend, as it is now.', {
    has_api_key: 'Always true.',
    budget: 'The key’s budget.',
    team: 'The budget of the key’s team, which each of its calls spends too; null if it is in none.',
    ocr: 'The key’s OCR allowance of this hour.',
    web_search: 'What a web search costs; null if the operator has set up no search provider.',
    research: 'What one research may cost.',
  }),
  SearchPrice: component(limits.SearchPrice, 'The price of a web search.', {
    usd_per_search: 'In USD. Searches stand in the statistics as the model `web-search`.',
  }),
  ResearchLimit: component(limits.ResearchLimit, 'What one research may cost.', {
    max_usd: 'All of its model calls and searches together, in USD.',
  }),
  Budget: component(limits.Budget, 'A budget, in USD.', budgetDescriptions),
  TeamBudget: component(
    limits.TeamBudget,
    'A budget that all keys of a team spend together, in USD.',
    {
      name: 'What the team is called.',
      ...budgetDescriptions,
      unlimited:
        'Whether the team has no budget. `max_usd` is then the largest that is counted exactly.',
    },
  ),
  OcrAllowance: component(
    limits.OcrAllowance,
    'The images that may be read in an hour of the clock, UTC.',
    {
      images_per_hour: 'How many there are.',
      used_this_hour: 'How many were read.',
      remaining: 'How many are left.',
      resets_in_seconds: 'When the next hour begins.',
    },
  ),
  StatsReport: component(reports.StatsReport, 'What a key has used in a period.', {
    period: 'The period.',
    tokens: 'All tokens.',
    requests: 'How many calls of a model or an OCR engine, failed ones included.',
    estimated_cost_usd: 'What they cost, in USD.',
    days: 'The same by day, UTC, and model, the oldest day first; days without a call are left out.',
    models: 'The same by model, the most used first.',
  }),
  TokenSums: component(reports.TokenSums, 'Tokens.', {
    total: 'All of them.',
    prompt: 'Of what was asked.',
    completion: 'Of the answers.',
  }),
  ModelUse: component(reports.ModelUse, 'What a key has used of a model.', {
    name: 'The model, the OCR engine, or `web-search`.',
    requests: 'How many calls.',
    tokens: 'How many tokens.',
    cost_usd: 'What they cost, in USD.',
    pages: 'How many pages and images were read.',
  }),
  ModelDay: component(reports.ModelDay, 'What a key has used of a model in a day, UTC.', {
    date: 'The day.',
    model: 'The model, the OCR engine, or `web-search`.',
    requests: useDescriptions.requests,
    failed_requests: useDescriptions.failed_requests,
    prompt_tokens: useDescriptions.prompt_tokens,
    completion_tokens: useDescriptions.completion_tokens,
    pages: 'How many pages and images were read.',
    cost_usd: useDescriptions.spend_usd,
  }),
  BatchStatsReport: component(reports.BatchStatsReport, 'What a key’s jobs have used.', {
    days: 'By day and tag, the oldest first.',
    totals: 'All of it, each call counted once.',
    jobs: 'The jobs by status.',
    jobs_since: 'The jobs are counted from this instant on.',
  }),
  BatchUse: component(reports.BatchUse, 'What jobs have used.', useDescriptions),
  BatchDay: component(reports.BatchDay, 'What jobs have used in a day, UTC, under a tag.', {
    date: 'The day.',
    tag: '`batch` for all jobs; `batch:chat`, `batch:embeddings`, `batch:ocr`, `batch:pipeline` or `batch:extract` for one kind of them.',
    ...useDescriptions,
  }),
  JobsByStatus: component(reports.JobsByStatus, 'How many jobs stand where.', {
    queued: 'Waiting.',
    processing: 'Running.',
    done: 'Done.',
    failed: 'Failed.',
    cancelled: 'Cancelled.',
  }),
};

const exampleUse = {
  requests: 9,
  successful_requests: 8,
  failed_requests: 1,
  prompt_tokens: 4096,
  completion_tokens: 1024,
  images: 0,
  spend_usd: 0.0031,
};

export const operations = [
  operation('get /user/limits', 'getLimits', 'Usage', {
    summary: 'Your budget and OCR allowance',
    description: 'As they are now, with what running requests hold taken off.',
    answers: {
      200: json('The limits.', limits.LimitsReport, {
        'A budget of $10 a month, in a team with one of $100': {
          has_api_key: true,
          budget: {
            max_usd: 10,
            used_usd: 0.4873,
            remaining_usd: 9.5127,
            held_usd: 0.0328,
            unlimited: false,
            reset_at: '2026-12-20T09:00:00.000Z',
            duration: '1mo',
            calendar: null,
            reset_at_local: '2026-12-20T09:00:00.000Z',
          },
          team: {
            name: 'Research',
            max_usd: 100,
            used_usd: 71.25,
            remaining_usd: 28.6,
            held_usd: 0.15,
            unlimited: false,
            reset_at: '2026-11-30T23:00:00.000Z',
            duration: '1mo',
            calendar: 'month, Europe/Berlin',
            reset_at_local: '2026-12-01T00:00:00+01:00',
          },
          ocr: { images_per_hour: 100, used_this_hour: 12, remaining: 88, resets_in_seconds: 1843 },
          web_search: { usd_per_search: 0.005 },
          research: { max_usd: 0.5 },
        },
        'A budget that never resets': {
          has_api_key: true,
          budget: {
            max_usd: 25,
            used_usd: 1.5,
            remaining_usd: 23.5,
            held_usd: 0,
            unlimited: false,
            reset_at: null,
            duration: null,
            calendar: null,
            reset_at_local: null,
          },
          team: null,
          ocr: { images_per_hour: 0, used_this_hour: 0, remaining: 0, resets_in_seconds: 60 },
          web_search: null,
          research: { max_usd: 0.5 },
        },
      }),
    },
  }),
  operation('get /user/stats', 'getStats', 'Usage', {
    summary: 'What you have used',
    description: 'By model, in a period of days, UTC, that ends today.',
    parameters: [
      parameters('query', reports.StatsQuery, {
        period: '`1d` is today, `all` is since the key exists.',
      }),
    ],
    answers: {
      200: json('The statistics.', reports.StatsReport, {
        'A week': {
          period: '7d',
          tokens: { total: 5120, prompt: 4096, completion: 1024 },
          requests: 12,
          estimated_cost_usd: 0.0031,
          days: [
            {
              date: '2026-11-20',
              model: catalogue.defaults.chat,
              requests: 12,
              failed_requests: 1,
              prompt_tokens: 4096,
              completion_tokens: 1024,
              pages: 0,
              cost_usd: 0.0031,
            },
          ],
          models: [
            {
              name: catalogue.defaults.chat,
              requests: 12,
              tokens: 5120,
              cost_usd: 0.0039,
              pages: 0,
            },
          ],
        },
      }),
      422: validationErrors({
        'A period that doesn’t exist': {
          loc: ['query', 'period'],
          msg: "Input should be '1d', '7d', '30d' or 'all'",
          type: 'literal_error',
        },
      }),
    },
  }),
  operation('get /user/batch-stats', 'getBatchStats', 'Usage', {
    summary: 'What your jobs have used',
    description:
      'By day and tag, and the jobs by status. A call counts under `batch` and under its kind, so totals are those of `batch` alone.',
    parameters: [
      parameters('query', reports.BatchStatsQuery, {
        days: 'How many days, UTC, with today the last.',
      }),
    ],
    answers: {
      200: json('The statistics.', reports.BatchStatsReport, {
        'One day': {
          days: [
            { date: '2026-11-20', tag: 'batch', ...exampleUse },
            { date: '2026-11-20', tag: 'batch:chat', ...exampleUse },
          ],
          totals: exampleUse,
          jobs: { queued: 0, processing: 1, done: 8, failed: 1, cancelled: 0 },
          jobs_since: '2026-10-22T00:00:00.000Z',
        },
      }),
      422: validationErrors({
        'Too many days': {
          loc: ['query', 'days'],
          msg: 'Input should be less than or equal to 366',
          type: 'less_than_equal',
        },
      }),
    },
  }),
];
