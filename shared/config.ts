import * as v from 'valibot';

const urlWanted = 'should be a URL that begins with http:// or https://';
const HttpUrl = v.pipe(v.string(), v.url(urlWanted), v.regex(/^https?:\/\//i, urlWanted));

const Environment = v.object({
  /** Where the object store is on this machine; not set where it is deployed. */
  AWS_ENDPOINT_URL_S3: v.optional(HttpUrl),
  /** How many times longer than usual AWS's services may take; never set where it is deployed. */
  AWS_TIMEOUT_FACTOR: v.optional(v.pipe(v.string(), v.toNumber(), v.minValue(1)), '1'),
  OBJECTS_BUCKET: v.string(),
  CHAT_QUEUE_URL: v.string(),
  /** The lanes' dead-letter queues, for operators' commands. */
  CHAT_DEAD_LETTERS_URL: v.string(),
  OCR_DEAD_LETTERS_URL: v.string(),
  FOLDER_DEAD_LETTERS_URL: v.string(),
  /** The origins whose pages may read responses; none unless the operator has named some. */
  CORS_ORIGINS: v.optional(v.pipe(v.string(), v.parseJson(), v.array(v.string()))),
  /** What all keys may spend in a day, in US dollars; not set for no limit. */
  DAY_CEILING_USD: v.optional(v.pipe(v.string(), v.toNumber(), v.minValue(0))),
  DOCUMENT_LIMITS: v.pipe(
    v.string(),
    v.parseJson(),
    v.object({ bytes: v.number(), pages: v.number() }),
  ),
  DRIVE_SECRET: v.string(),
  ESTIMATE_JOB_FUNCTION: v.string(),
  /** The source of events on the event bus; absent unless the operator publishes them there. */
  EVENT_SOURCE: v.optional(v.string()),
  /** The most files of a key, and of their bytes. */
  FILE_QUOTA: v.pipe(v.string(), v.parseJson(), v.object({ files: v.number(), bytes: v.number() })),
  FILES_BUCKET: v.string(),
  FILES_TABLE: v.string(),
  FOLDER_QUEUE_URL: v.string(),
  GOOGLE_DRIVE_URL: v.optional(HttpUrl),
  FEEDBACK_TABLE: v.string(),
  /** The prefix of objects that one function puts for another to read. */
  HAND_OVER_PREFIX: v.string(),
  JOBS_TABLE: v.string(),
  JOB_RETENTION_DAYS: v.pipe(v.string(), v.toNumber(), v.integer(), v.minValue(1)),
  KEYS_TABLE: v.string(),
  LEDGER_TABLE: v.string(),
  LATE_CALLS_QUEUE_URL: v.string(),
  /** Whether calls of one process share holds; only where a process serves many calls at once, and is not frozen between. */
  LEASES: v.optional(v.picklist(['on', 'off']), 'off'),
  LANE_SHARDS: v.pipe(v.string(), v.toNumber(), v.integer(), v.minValue(1)),
  /** Where Node keeps what it has compiled; nowhere in Lambda. */
  NODE_COMPILE_CACHE: v.optional(v.string()),
  /** How many calls a second a part of an account has before the account gets more parts. */
  PART_CALLS_PER_SECOND: v.optional(v.pipe(v.string(), v.toNumber(), v.minValue(0)), '100'),
  /** Where the system finds libraries, as Lambda says it. */
  LD_LIBRARY_PATH: v.optional(v.string()),
  OCR_QUEUE_URL: v.string(),
  /** How long a page may take to be drawn, or a document to be opened. */
  PAGE_SECONDS: v.optional(v.pipe(v.string(), v.toNumber(), v.minValue(1)), '30'),
  OPENAI_BASE_URL: v.optional(HttpUrl),
  /** The most that one research may cost, in US dollars. */
  RESEARCH_MAX_USD: v.pipe(v.string(), v.toNumber(), v.minValue(0)),
  /** The provider of web search; none unless the operator has set one up. */
  SEARCH_PROVIDER: v.optional(v.picklist(['searxng', 'brave', 'tavily'])),
  /** The URL of the provider's API, if it isn't the usual one; SearXNG has no usual one. */
  SEARCH_URL: v.optional(HttpUrl),
  SEARCH_SECRET: v.optional(v.string()),
  SEARCH_DRIVE_FUNCTION: v.string(),
  SESSIONS_TABLE: v.string(),
  POST_WEBHOOK_FUNCTION: v.string(),
  READ_DOCUMENT_FUNCTION: v.string(),
  READ_PAGE_FUNCTION: v.string(),
  /** The one origin that may have any address; never set in a deployment. */
  READ_PAGE_LOCAL_ORIGIN: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => URL.parse(text)?.origin === text, 'should be an origin'),
    ),
  ),
  TEXTRACT_PAGES_PER_SECOND: v.pipe(v.string(), v.toNumber(), v.minValue(0.1)),
  /** The path of a catalogue of models to use instead of `shared/models/catalogue.json`. */
  QUIRE_CATALOGUE: v.optional(v.string()),
  USAGE_TABLE: v.string(),
  WEBHOOKS_TABLE: v.string(),
  PROVIDER_SECRETS: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())),
});

type Environment = v.InferOutput<typeof Environment>;

/** The name of the Lambda function that runs this code; undefined outside Lambda. */
export const functionName = () => process.env['AWS_LAMBDA_FUNCTION_NAME'];

/** Whether this process is a function that is given the ledger. */
export const isFunctionOfLedger = () =>
  functionName() !== undefined && process.env['LEDGER_TABLE'] !== undefined;

/** How much memory that function has; infinite outside Lambda. */
export const functionMemoryBytes = () =>
  Number(process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? Number.POSITIVE_INFINITY) * 2 ** 20;

/** What was read of the environment, and from which text: a call asks for some settings many times. */
const known = new Map<string, { text: string | undefined; value: unknown }>();

/** Reads one setting of this function from its environment. Throws if it is missing or malformed. */
export function setting<Name extends keyof Environment>(name: Name): Environment[Name] {
  const text = process.env[name];
  const before = known.get(name);
  if (before && before.text === text) return before.value as Environment[Name];
  const read = v.safeParse(Environment.entries[name], text);
  if (!read.success) throw new Error(`${name}: ${read.issues[0].message}`);
  known.set(name, { text, value: read.output });
  return read.output as Environment[Name];
}
