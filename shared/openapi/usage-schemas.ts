import { Budget, LimitsReport, OcrAllowance } from '../keys/limits-report.ts';
import {
  BatchDay,
  BatchStatsReport,
  BatchUse,
  JobsByStatus,
  ModelUse,
  StatsReport,
  TokenSums,
} from '../usage/reports.ts';
import { component } from './component.ts';

const useWords = {
  requests: 'How many calls of a model or an OCR engine.',
  successful_requests: 'Those that succeeded.',
  failed_requests: 'Those that failed; what they produced is counted all the same.',
  prompt_tokens: 'Tokens of what was asked.',
  completion_tokens: 'Tokens of the answers.',
  images: 'Images read.',
  spend_usd: 'What they cost, in USD.',
};

export const usageComponents = {
  LimitsReport: component(LimitsReport, 'What a key may spend, as it is now.', {
    has_api_key: 'Always true.',
    budget: 'The key’s budget.',
    ocr: 'The key’s OCR allowance of this hour.',
  }),
  Budget: component(Budget, 'A budget, in USD.', {
    max_usd: 'The budget.',
    used_usd: 'What has been spent.',
    remaining_usd: 'What is left, less what running requests may come to.',
    reset_at: 'When it renews; null where it never does.',
    duration: 'How long it lasts: a number and `s`, `m`, `h`, `d`, `w` or `mo`.',
  }),
  OcrAllowance: component(
    OcrAllowance,
    'The images that may be read in an hour of the clock, UTC.',
    {
      images_per_hour: 'How many there are.',
      used_this_hour: 'How many were read.',
      remaining: 'How many are left.',
      resets_in_seconds: 'When the next hour begins.',
    },
  ),
  StatsReport: component(StatsReport, 'What a key has used in a period.', {
    period: 'The period.',
    tokens: 'All tokens.',
    requests: 'How many calls of a model or an OCR engine, failed ones included.',
    estimated_cost_usd: 'What they cost, in USD.',
    models: 'The same by model, the most used first.',
  }),
  TokenSums: component(TokenSums, 'Tokens.', {
    total: 'All of them.',
    prompt: 'Of what was asked.',
    completion: 'Of the answers.',
  }),
  ModelUse: component(ModelUse, 'What a key has used of a model.', {
    name: 'The model.',
    requests: 'How many calls.',
    tokens: 'How many tokens.',
  }),
  BatchStatsReport: component(BatchStatsReport, 'What a key’s jobs have used.', {
    days: 'By day and tag, the oldest first.',
    totals: 'All of it, each call counted once.',
    jobs: 'The jobs by status.',
    jobs_since: 'The jobs are counted from this instant on.',
  }),
  BatchUse: component(BatchUse, 'What jobs have used.', useWords),
  BatchDay: component(BatchDay, 'What jobs have used in a day, UTC, under a tag.', {
    date: 'The day.',
    tag: '`batch` for all jobs; `batch:chat`, `batch:ocr` or `batch:pipeline` for one kind of them.',
    ...useWords,
  }),
  JobsByStatus: component(JobsByStatus, 'How many jobs stand where.', {
    queued: 'Waiting.',
    processing: 'Running.',
    done: 'Done.',
    failed: 'Failed.',
    cancelled: 'Cancelled.',
  }),
};
