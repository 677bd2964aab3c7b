import type { Node } from 'constructs';
import * as v from 'valibot';
import { minToReserve } from './reserved-concurrency.ts';
import * as values from './setting-values.ts';
import { mayReserve, workersFit, workersPart } from './workers-part.ts';

export const prefix = 'quire:';

/** What an operator may set, in `cdk.json` or with `-c quire:<name>=<value>`. */
const Given = v.strictObject({
  stageName: v.optional(values.stageName, 'prod'),
  /** What `cdk destroy` does with tables, the buckets and secrets. */
  removalPolicy: v.optional(
    v.picklist(['retain', 'destroy'], 'should be retain or destroy'),
    'retain',
  ),
  /** Whether tables refuse to be deleted, and the buckets keep what is overwritten or deleted in them for a while. */
  deletionProtection: v.optional(values.flag, false),
  logRetentionDays: v.optional(
    v.pipe(
      values.count(1, 3653),
      v.check(
        (days) => [1, 3, 5, 7, 14, 30, 60, 90, 180, 365, 731, 1827, 3653].includes(days),
        'should be one of 1, 3, 5, 7, 14, 30, 60, 90, 180, 365, 731, 1827, 3653',
      ),
    ),
    30,
  ),
  jobRetentionDays: v.optional(values.count(1, 3650), 90),
  /** Chat workers at once; each runs up to ten jobs. */
  chatWorkers: v.optional(values.count(2, 1000), 20),
  /** Workers that read documents at once, one each. */
  ocrWorkers: v.optional(values.count(2, 1000), 10),
  folderWorkers: v.optional(values.count(2, 1000), 2),
  /** The memory of the function that completions wait in: its waiting is most of what they cost. */
  completionsMemoryMb: v.optional(values.count(256, 10_240), 512),
  /** Pages a second that all workers together may ask of Textract: the account's quota, or less. */
  textractPagesPerSecond: v.optional(values.count(1, 1000), 5),
  documentMaxMb: v.optional(values.count(1, 500), 200),
  documentMaxPages: v.optional(values.count(1, 10_000), 3_000),
  /** How long a page may take to be drawn, or a document to be opened; five that take too long fit a worker's time. */
  documentPageSeconds: v.optional(values.count(5, 45), 30),
  /** The most files of a key, and how large they may be together; results of batches are counted and not refused. */
  filesPerKey: v.optional(values.count(1, 1_000_000), 10_000),
  fileMbPerKey: v.optional(values.count(1, 10_000_000), 10_240),
  laneShards: v.optional(values.count(1, 64), 1),
  /** How many sweeps audit accounts each minute. They share the lanes. */
  sweeps: v.optional(values.count(1, 16), 1),
  /** The account's quota of Lambda functions that run at once, in this region. */
  concurrency: v.optional(values.count(10, 100_000), 1_000),
  /** The requests a second of each route that asks models; by default as many as the concurrency. */
  requestsPerSecond: v.optional(values.count(20, 200_000)),
  /** Whether the functions that wait for models, and those that all others wait for, have a part of that quota each. */
  reservedConcurrency: v.optional(values.flag),
  /** The requests a minute of a key for which none were set; `none` for no limit. */
  requestsPerMinute: v.optional(values.countOrNone(1, 999_999_999), 6_000),
  /** The most requests a minute of one address, of which a web ACL sees to it. */
  waf: v.optional(values.countOrNone(10, 2_000_000_000)),
  /** A name for the API, and the ARN of a certificate for it. */
  domain: v.optional(values.domainName),
  certificate: v.optional(values.arn('acm', 'certificate/', 'a certificate of ACM')),
  /** Tags of all that the stack makes, beside `service` and `stage`. */
  tags: v.optional(values.tags, {}),
  /** The origins of the web pages that may call the API in a browser. */
  corsOrigins: v.optional(values.origins, []),
  /** The provider that searches the web for chats that ask for it. */
  search: v.optional(
    v.picklist(['none', 'searxng', 'brave', 'tavily'], 'should be none, searxng, brave or tavily'),
    'none',
  ),
  /** Where the SearXNG is, or another endpoint of the provider. */
  searchUrl: v.optional(values.httpUrl),
  /** The most that one research may cost. A key may have a lower limit of its own. */
  researchMaxUsd: v.optional(values.usd(1_000), 0.5),
  /** What all keys together may spend in a day, of UTC: calls beyond are refused. */
  dayCeilingUsd: v.optional(values.usd(1_000_000)),
  /** Models in place of the catalogue's, such as `llama3.2=0.10,0.40`, and the URL of what serves them. */
  models: v.optional(values.ownModels, []),
  embeddingModels: v.optional(values.ownModels, []),
  modelsUrl: v.optional(values.httpUrl),
  /** Whether the stack sets the role by which API Gateway writes its logs, which a region has one of. */
  gatewayAccount: v.optional(values.flag, true),
  /** Whether a table, queue, bucket or API may be replaced by a new, empty one. */
  acceptReplacements: v.optional(values.flag, false),
  /** Whether to deploy to a region that had no Textract when this was written. */
  anyRegion: v.optional(values.flag, false),
  /** What keeps the keys of providers: secrets, which cost by the month, or parameters, which don't. */
  secrets: v.optional(
    v.picklist(['secrets-manager', 'parameters'], 'should be secrets-manager or parameters'),
    'secrets-manager',
  ),
  /** The key of KMS that encrypts what is kept; without it keys of AWS do. */
  kmsKey: v.optional(values.arn('kms', 'key/', 'a key of KMS')),
  /** Which alarms there are: all, none, or only those for faults that users notice and that don't mend themselves. */
  alarms: v.optional(values.alarms, 'essential'),
  alarmEmail: v.optional(v.pipe(v.string(), v.email('should be an e-mail address'))),
  /** Whether ends of jobs and spent parts of budgets are put on the account's default event bus. */
  events: v.optional(values.flag, false),
  /** A dashboard in CloudWatch. */
  dashboard: v.optional(values.flag, false),
  /** Whether a deploy gives new versions a tenth of the calls first, and is taken back if they fail. */
  canary: v.optional(values.flag, false),
  /** X-Ray traces of functions and the gateway. */
  tracing: v.optional(values.flag, false),
});

/** The whole names of all settings. */
export const settingNames = Object.keys(Given.entries).map((name) => `${prefix}${name}`);

const Settings = v.pipe(
  Given,
  v.transform(({ reservedConcurrency: given, ...settings }) => ({
    ...settings,
    reservedConcurrency: given ?? mayReserve(settings),
  })),
);

export type Settings = v.InferOutput<typeof Settings>;

/** Reads the settings from the CDK context. Throws an Error with a sentence for each wrong one. */
export function readSettings(node: Node): Settings {
  const context = node.getAllContext();
  const given = Object.entries(context).filter(([name]) => name.startsWith(prefix));
  const read = v.safeParse(
    Settings,
    Object.fromEntries(given.map(([name, value]) => [name.slice(prefix.length), value])),
    { abortPipeEarly: true },
  );
  if (!read.success) throw new Error(read.issues.map(sentenceFor).join('\n'));
  refuseUnfitting(read.output);
  return read.output;
}

/** Throws an Error with a sentence for settings that don't fit each other. */
function refuseUnfitting(settings: Settings): void {
  const { search, searchUrl, reservedConcurrency, concurrency } = settings;
  if (settings.deletionProtection && settings.removalPolicy === 'destroy') {
    throw new Error(
      `The setting ${prefix}deletionProtection needs ${prefix}removalPolicy=retain: protected tables can't be destroyed.`,
    );
  }
  if (search === 'searxng' && !searchUrl) {
    throw new Error(
      `The setting ${prefix}searchUrl is missing: it should say where the SearXNG is.`,
    );
  }
  if (!settings.domain !== !settings.certificate) {
    throw new Error(
      `The settings ${prefix}domain and ${prefix}certificate need each other: a name, and the certificate for it.`,
    );
  }
  if (reservedConcurrency && concurrency < minToReserve) {
    throw new Error(
      `The setting ${prefix}reservedConcurrency needs a ${prefix}concurrency of ${minToReserve} or more: Lambda keeps 100 for functions without a reservation.`,
    );
  }
  const part = workersPart(reservedConcurrency);
  if (!workersFit(part, settings)) {
    throw new Error(
      `The settings ${prefix}chatWorkers, ${prefix}ocrWorkers and ${prefix}folderWorkers are more than ${part * 100} % of ${prefix}concurrency: lower them, or have the account's quota raised.`,
    );
  }
}

function sentenceFor(issue: v.BaseIssue<unknown>): string {
  const name = `${prefix}${v.getDotPath(issue) ?? ''}`;
  if (issue.expected === 'never') {
    return `There is no setting ${name}; the settings are ${settingNames.join(', ')}.`;
  }
  return `The setting ${name} is ${JSON.stringify(issue.input)}: it ${issue.message}.`;
}
