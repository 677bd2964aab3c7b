import * as limits from '../keys/limits-report.ts';
import { catalogue } from '../models/catalogue.ts';
import * as reports from '../usage/reports.ts';
import { validationErrors } from './error-answers.ts';
import { described, json, kept, operation, parameters } from './operation.ts';

export const components = described({ ...reports, ...limits });

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
    parameters: parameters('query', limits.LimitsQuery, {
      customer:
        'Whose limits are shown, where each customer has its own; by default those of requests that name none.',
    }),
    answers: {
      200: json('The limits.', limits.LimitsReport, {
        'A budget of $10 a month, in a team with one of $100': kept(
          'A budget of $10 a month, in a team with one of $100',
        ),
        'A budget that never resets': kept('A budget that never resets'),
      }),
    },
  }),
  operation('get /user/stats', 'getStats', 'Usage', {
    summary: 'What you have used',
    description: 'By model, in a period of days, UTC, that ends today.',
    parameters: parameters('query', reports.StatsQuery, {
      period: '`1d` is today, `all` is since the key exists.',
    }),
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
    parameters: parameters('query', reports.BatchStatsQuery, {
      days: 'How many days, UTC, with today the last.',
    }),
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
