/** How a job ended, without what it is called, was asked, read or said. Instants are ISO 8601 strings. */
export interface JobEnd {
  id: string;
  key_id: string;
  status: 'done' | 'failed' | 'cancelled';
  job_type: 'chat' | 'ocr' | 'auto';
  input_type: 'inline' | 'drive_file' | 'drive_folder';
  model: string;
  /** The code of its error; null without one. */
  error_code: string | null;
  /** How many pages, files or lines were done, of how many; what is not counted is absent. */
  counts: Record<string, number>;
  cost_usd: number | null;
  created_at: string;
  completed_at: string;
  /** The path of its record, below the base URL. */
  path: string;
}

/** An account that has spent a part of its budget. */
interface BudgetReached {
  account_id: string;
  percent: 50 | 80 | 100;
  max_usd: number;
  used_usd: number;
  window_starts_at: string;
  /** When the budget renews; null if it never does. */
  reset_at: string | null;
  path: string;
}

/** What each type of event tells. */
export interface EventData {
  'job.done': JobEnd;
  'job.failed': JobEnd;
  'job.cancelled': JobEnd;
  'budget.reached': BudgetReached;
  /** What an operator sends to try a webhook out. */
  'webhook.test': { account_id: string };
}

export type EventType = keyof EventData;

/** What a webhook is sent: the same at each try. */
export interface EventBody {
  id: string;
  object: 'event';
  type: EventType;
  /** In seconds since 1970. */
  created_at: number;
  data: EventData[EventType];
}
