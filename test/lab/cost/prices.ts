/** When these list prices held, and where: without taxes, discounts and traffic to the internet. */
export const pricesOf = { region: 'us-east-1', month: 'June 2026' };

const million = 1_000_000;

/** List prices in US dollars for one unit of each, from the page that stands above it. */
export const prices = {
  // https://aws.amazon.com/lambda/pricing/ (arm64, first tier)
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2 / million,
  // https://aws.amazon.com/dynamodb/pricing/on-demand/
  writeUnit: 0.625 / million,
  readUnit: 0.125 / million,
  // https://aws.amazon.com/api-gateway/pricing/ (REST, first tier; a streamed answer is one request for each 10 MB)
  gatewayRequest: 3.5 / million,
  // https://aws.amazon.com/sqs/pricing/ (standard queues)
  queueRequest: 0.4 / million,
  // https://aws.amazon.com/s3/pricing/
  objectPut: 0.005 / 1_000,
  objectGet: 0.0004 / 1_000,
  // https://aws.amazon.com/textract/pricing/ (DetectDocumentText, first million)
  textractPage: 0.0015,
  // https://aws.amazon.com/cloudwatch/pricing/
  logGb: 0.5,
  alarmMetric: 0.1,
  metric: 0.3,
  dashboard: 3,
  // https://aws.amazon.com/secrets-manager/pricing/
  secret: 0.4,
  // https://aws.amazon.com/kms/pricing/ (a key of one's own; AWS's own keys cost nothing)
  key: 1,
  // https://aws.amazon.com/waf/pricing/ (and $0.60 for each million requests)
  webAcl: 5,
  webAclRule: 1,
  // https://aws.amazon.com/xray/pricing/
  trace: 5 / million,
};

export type Priced = keyof typeof prices;

/** What an account gets for nothing each month for good, of all that is in it. The pages above say so too. */
export const allowances: Partial<Record<Priced, number>> = {
  lambdaGbSecond: 400_000,
  lambdaRequest: million,
  queueRequest: million,
  logGb: 5,
  alarmMetric: 10,
  metric: 10,
  dashboard: 3,
  trace: 100_000,
};

/**
 * What Lambda does with a memory size: its share of a processor grows with it up to one of them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
export const memoryOfOneCpuMb = 1_769;

/**
 * How a queue is polled for a function while nothing is in it: by so many pollers, each with one request in so many
 * seconds.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const idlePolling = { pollers: 5, seconds: 20 };

/** The lines that Lambda writes to the log by itself for each invocation, and the gateway for each request. */
export const logBytes = { invocation: 350, request: 400 };

/** What a page takes Textract, in seconds. The stage's own reader takes another time. */
export const textractSeconds = 2;

/** How many pages a second all workers together ask of Textract, unless `quire:textractPagesPerSecond` says more. */
export const textractPagesPerSecond = 5;
