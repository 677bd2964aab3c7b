import type { ApiKeys } from './api-keys.ts';
import type { ServiceFunction } from './base/service-function.ts';
import type { DriveAccount } from './drive-account.ts';
import type { Feedback } from './feedback.ts';
import type { FileStore } from './file-store.ts';
import type { ServiceApi } from './gateway/service-api.ts';
import type { JobQueues } from './jobs/job-queues.ts';
import type { JobTable } from './jobs/job-table.ts';
import type { Ledger } from './ledger.ts';
import type { ModelProviders } from './model-providers.ts';
import type { Settings } from './settings/settings.ts';
import type { WebSearch } from './web-search.ts';
import type { Webhooks } from './webhooks.ts';

/** The parts of the service that its routes and workers are wired to. */
interface Parts {
  readonly settings: Settings;
  readonly api: ServiceApi;
  readonly keys: ApiKeys;
  readonly ledger: Ledger;
  readonly providers: ModelProviders;
  readonly jobs: JobTable;
  readonly queues: JobQueues;
  readonly files: FileStore;
  readonly drive: DriveAccount;
  readonly feedback: Feedback;
  readonly webhooks: Webhooks;
  readonly webSearch: WebSearch;
  /** The functions that read documents and pages of the web, and that search drives, for others. */
  readonly documentReader: ServiceFunction;
  readonly pageReader: ServiceFunction;
  readonly driveSearch: ServiceFunction;
}

/** The parts that a construct takes. */
export type Needs<Name extends keyof Parts> = Pick<Parts, Name>;
