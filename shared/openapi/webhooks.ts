import * as v from 'valibot';
import { catalogue } from '../models/catalogue.ts';
import { BudgetEvent, BudgetReached, JobEnd, JobEvent } from '../webhooks/event-body.ts';
import {
  type Content,
  content,
  described,
  type Operation,
  type ParameterGroup,
  parameters,
} from './operation.ts';

export const components = described({ JobEvent, JobEnd, BudgetEvent, BudgetReached });

/** What the service sends of itself, to the address that an operator has set. */
export type Webhook = Pick<Operation, 'operationId' | 'summary' | 'description'> & {
  parameters: ParameterGroup;
  body: Content;
};

const signature = parameters(
  'header',
  v.object({
    'webhook-id': v.string(),
    'webhook-timestamp': v.string(),
    'webhook-signature': v.string(),
  }),
  {
    'webhook-id': 'The event’s id.',
    'webhook-timestamp': 'When it was sent, in seconds since 1970.',
    'webhook-signature':
      '`v1,` and the HMAC-SHA256 of id, timestamp and body with the webhook’s secret, as Standard Webhooks has it. OpenAI’s clients verify it by `webhooks.unwrap`.',
  },
);

const rules =
  'Any 2xx within ten seconds is taken as received. Anything else is tried again for a day; 410 disables the webhook at once. It may come more than once, and not in order.';

const jobEnd: v.InferOutput<typeof JobEnd> = {
  id: 'job_019aa1f2-6b40-7a11-8c02-54d1e0f7a3b9',
  key_id: 'key_019aa1e0-0c2f-7d1a-9a5e-3f7c1b2d4e60',
  status: 'done',
  job_type: 'ocr',
  input_type: 'drive_file',
  model: catalogue.defaults.ocr,
  error_code: null,
  counts: { pages: 12, pages_total: 12 },
  cost_usd: 0.048,
  created_at: '2026-11-20T15:04:05.123Z',
  completed_at: '2026-11-20T15:04:09.872Z',
  path: '/batch/jobs/job_019aa1f2-6b40-7a11-8c02-54d1e0f7a3b9',
};

const event = {
  id: 'evt_019aa1f2-7dd0-7b0c-8a44-1c9e5f2a7d38',
  object: 'event',
  created_at: 1_795_187_049,
} as const;

const jobEvent = (
  status: v.InferOutput<typeof JobEnd>['status'],
  summary: string,
  data: Partial<v.InferOutput<typeof JobEnd>> = {},
): [string, Webhook] => [
  `job.${status}`,
  {
    operationId: `job${status[0]?.toUpperCase()}${status.slice(1)}`,
    summary,
    description: `About jobs that the key submitted itself: a folder’s files are told by their folder. ${rules}`,
    parameters: signature,
    body: content(JobEvent, {
      [summary]: { ...event, type: `job.${status}`, data: { ...jobEnd, status, ...data } },
    }),
  },
];

/** What the service sends, by the type of event. */
export const webhooks: Record<string, Webhook> = Object.fromEntries([
  jobEvent('done', 'A job is done'),
  jobEvent('failed', 'A job has failed', {
    error_code: 'unreadable_document',
    counts: { pages: 0 },
    cost_usd: 0,
  }),
  jobEvent('cancelled', 'A job was cancelled', { error_code: 'stopped' }),
  [
    'budget.reached',
    {
      operationId: 'budgetReached',
      summary: 'A part of a budget is spent',
      description: `At 50, 80 and 100 % of the budget of a key or a team, each once in a window and for a budget. ${rules}`,
      parameters: signature,
      body: content(BudgetEvent, {
        'Half of a team’s budget': {
          ...event,
          type: 'budget.reached',
          data: {
            account_id: 'team_019aa1e0-1b7a-7c55-b1f0-6a2d8e9c3b17',
            percent: 50,
            max_usd: 500,
            used_usd: 250.004,
            window_starts_at: '2026-11-01T00:00:00.000Z',
            reset_at: '2026-12-01T00:00:00.000Z',
            path: '/user/limits',
          },
        },
      }),
    },
  ],
]);
