import { LimitsReport } from '../keys/limits-report.ts';
import { catalogue } from '../models/catalogue.ts';
import { BatchStatsQuery, BatchStatsReport, StatsQuery, StatsReport } from '../usage/reports.ts';
import { invalid } from './common-answers.ts';
import { json, type Operation, parameters } from './operation.ts';

const use = {
  requests: 9,
  successful_requests: 8,
  failed_requests: 1,
  prompt_tokens: 4096,
  completion_tokens: 1024,
  images: 0,
  spend_usd: 0.0031,
};

export const usageOperations: Operation[] = [
  {
    method: 'get',
    path: '/user/limits',
    operationId: 'getLimits',
    tag: 'Usage',
    summary: 'Your budget and OCR allowance',
    description: 'As they are now, with what running requests hold taken off.',
    answers: {
      200: json('The limits.', LimitsReport, {
        'A budget of $10 a month': {
          has_api_key: true,
          budget: {
            max_usd: 10,
            used_usd: 0.4873,
            remaining_usd: 9.5127,
            reset_at: '2026-12-20T09:00:00.000Z',
            duration: '1mo',
          },
          ocr: {
            images_per_hour: 100,
            used_this_hour: 12,
            remaining: 88,
            resets_in_seconds: 1843,
          },
        },
        'A budget that never resets': {
          has_api_key: true,
          budget: {
            max_usd: 25,
            used_usd: 1.5,
            remaining_usd: 23.5,
            reset_at: null,
            duration: null,
          },
          ocr: { images_per_hour: 0, used_this_hour: 0, remaining: 0, resets_in_seconds: 60 },
        },
      }),
    },
  },
  {
    method: 'get',
    path: '/user/stats',
    operationId: 'getStats',
    tag: 'Usage',
    summary: 'What you have used',
    description: 'By model, in a period of days, UTC, that ends today.',
    parameters: [
      parameters('query', StatsQuery, {
        period: { description: '`1d` is today, `all` is since the key exists.' },
      }),
    ],
    answers: {
      200: json('The statistics.', StatsReport, {
        'A week': {
          period: '7d',
          tokens: { total: 5120, prompt: 4096, completion: 1024 },
          requests: 12,
          estimated_cost_usd: 0.0031,
          models: [{ name: catalogue.defaults.chat, requests: 12, tokens: 5120 }],
        },
      }),
      422: invalid({
        'A period that doesn’t exist': {
          detail: [
            {
              loc: ['query', 'period'],
              msg: "Input should be '1d', '7d', '30d' or 'all'",
              type: 'literal_error',
            },
          ],
        },
      }),
    },
  },
  {
    method: 'get',
    path: '/user/batch-stats',
    operationId: 'getBatchStats',
    tag: 'Usage',
    summary: 'What your jobs have used',
    description:
      'By day and tag, and the jobs by status. A call counts under `batch` and under its kind, so totals are those of `batch` alone.',
    parameters: [
      parameters('query', BatchStatsQuery, {
        days: { description: 'How many days, UTC, with today the last.' },
      }),
    ],
    answers: {
      200: json('The statistics.', BatchStatsReport, {
        'One day': {
          days: [
            { date: '2026-11-20', tag: 'batch', ...use },
            { date: '2026-11-20', tag: 'batch:chat', ...use },
          ],
          totals: use,
          jobs: { queued: 0, processing: 1, done: 8, failed: 1, cancelled: 0 },
          jobs_since: '2026-10-22T00:00:00.000Z',
        },
      }),
      422: invalid({
        'Too many days': {
          detail: [
            {
              loc: ['query', 'days'],
              msg: 'Input should be less than or equal to 366',
              type: 'less_than_equal',
            },
          ],
        },
      }),
    },
  },
];
