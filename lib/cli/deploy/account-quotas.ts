import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  paginateListAWSDefaultServiceQuotas,
  paginateListServiceQuotas,
  type ServiceQuota,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import { farTimeouts } from '../target.ts';

/** The quotas that are known by their codes. */
export const quotaCodes = {
  lambda: { service: 'lambda', name: 'Concurrent executions', code: 'L-B99A9384' },
  gateway: { service: 'apigateway', name: 'Throttle rate', code: 'L-8A5B8E43' },
  table: { service: 'dynamodb', name: 'Table-level write throughput limit', code: 'L-AB614373' },
} as const;

/** A value that AWS was asked for, or the reason why it is unknown. */
export type Asked<Value> = { value: Value; unknown?: undefined } | { unknown: string };

/** The account's quotas in the region of the deployment. */
export interface AccountQuotas {
  lambda: Asked<{ concurrency: number; unreserved: number }>;
  /** The template of the stack as it is deployed; undefined if it isn't there. */
  deployed: Asked<string | undefined>;
  /** Requests a second, of all APIs of the account. */
  gateway: Asked<number>;
  /** Pages a second, of the operation of which there may be fewer, and what its quota is called. */
  textract: Asked<{ pagesPerSecond: number; name: string; code: string }>;
  /** Write units a second of one table. */
  table: Asked<number>;
}

/** Asks for the quotas that a deploy depends on. Never throws: what can't be asked is unknown. */
export async function accountQuotas(stackName: string): Promise<AccountQuotas> {
  const [lambda, deployed, gateway, textract, table] = await Promise.all([
    asked(lambdaQuotas),
    asked(() => templateOf(stackName)),
    asked(gatewayRate),
    asked(textractQuota),
    asked(tableWrites),
  ]);
  return { lambda, deployed, gateway, textract, table };
}

async function asked<Value>(ask: () => Promise<Value>): Promise<Asked<Value>> {
  try {
    return { value: await ask() };
  } catch (error) {
    const { message, name } = error as Error;
    return { unknown: message.split('\n')[0] || name };
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html */
async function lambdaQuotas() {
  const client = new LambdaClient(farTimeouts);
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand());
  const { ConcurrentExecutions, UnreservedConcurrentExecutions } = AccountLimit ?? {};
  return {
    concurrency: known(ConcurrentExecutions),
    unreserved: known(UnreservedConcurrentExecutions),
  };
}

async function templateOf(StackName: string): Promise<string | undefined> {
  const client = new CloudFormationClient(farTimeouts);
  try {
    return (await client.send(new GetTemplateCommand({ StackName }))).TemplateBody;
  } catch (error) {
    if (error instanceof Error && error.message.includes('does not exist')) return undefined;
    throw error;
  }
}

/**
 * The gateway's own rate, which holds where Service Quotas says more.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
async function gatewayRate(): Promise<number> {
  const client = new APIGatewayClient(farTimeouts);
  const { throttleSettings } = await client.send(new GetAccountCommand());
  return known(throttleSettings?.rateLimit);
}

async function textractQuota() {
  const of = (operation: string) => (quota: ServiceQuota) =>
    quota.QuotaName?.startsWith(`${operation} `) === true && /per second/i.test(quota.QuotaName);
  const found = await Promise.all(
    ['DetectDocumentText', 'AnalyzeDocument'].map((operation) =>
      findQuota('textract', of(operation)),
    ),
  );
  const [least] = found
    .map(({ Value, QuotaName = '', QuotaCode = '' }) => ({
      pagesPerSecond: known(Value),
      name: QuotaName,
      code: QuotaCode,
    }))
    .sort((a, b) => a.pagesPerSecond - b.pagesPerSecond);
  return least ?? missing();
}

async function tableWrites(): Promise<number> {
  const { service, code } = quotaCodes.table;
  const { Value } = await findQuota(service, ({ QuotaCode }) => QuotaCode === code);
  return known(Value);
}

/** Finds a quota as it was applied to the account or, where it never was, by its default. */
async function findQuota(
  ServiceCode: string,
  isIt: (quota: ServiceQuota) => boolean,
): Promise<ServiceQuota> {
  const client = new ServiceQuotasClient(farTimeouts);
  for (const list of [paginateListServiceQuotas, paginateListAWSDefaultServiceQuotas]) {
    for await (const { Quotas = [] } of list({ client }, { ServiceCode })) {
      const quota = Quotas.find(isIt);
      if (quota) return quota;
    }
  }
  return missing();
}

const known = (value: number | undefined): number => value ?? missing();

function missing(): never {
  throw new Error('AWS names no such quota.');
}
