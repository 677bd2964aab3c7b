import { account, functionArn, region } from '../template/resource-names.ts';
import type { SignedRequest } from './signed-request.ts';

/** An action and a resource that a caller must be allowed. */
export interface Requirement {
  action: string;
  resource: string;
}

/** Services whose requests name their resources in the body. */
export const readsBody = ({ service }: SignedRequest) =>
  ['dynamodb', 'sqs', 'secretsmanager', 'ssm'].includes(service);

/**
 * Returns all that a request needs to be allowed. Each item of a transaction or batch needs its own.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html
 */
export function requirementsOf(request: SignedRequest, body: string): Requirement[] {
  const required = services[request.service]?.(request, body);
  if (!required) {
    throw new Error(`The local stage doesn't know what a call of ${request.service} needs.`);
  }
  return required;
}

const services: Record<string, (request: SignedRequest, body: string) => Requirement[]> = {
  dynamodb: ({ operation }, body) => dynamodbRequirements(operation, JSON.parse(body)),
  sqs: ({ operation }, body) => {
    const { QueueUrl = '' } = JSON.parse(body) as { QueueUrl?: string };
    const resource = `arn:aws:sqs:${region}:${account}:${QueueUrl.split('/').at(-1)}`;
    return [{ action: `sqs:${operation.replace(/Batch$/, '')}`, resource }];
  },
  secretsmanager: ({ operation }, body) => {
    const { SecretId = '' } = JSON.parse(body) as { SecretId?: string };
    const named = `arn:aws:secretsmanager:${region}:${account}:secret:${SecretId}`;
    const resource = SecretId.startsWith('arn:') ? SecretId : named;
    return [{ action: `secretsmanager:${operation}`, resource }];
  },
  ssm: ({ operation }, body) => {
    const { Name = '' } = JSON.parse(body) as { Name?: string };
    const named = `arn:aws:ssm:${region}:${account}:parameter/${Name.replace(/^\//, '')}`;
    return [{ action: `ssm:${operation}`, resource: Name.startsWith('arn:') ? Name : named }];
  },
  textract: ({ operation }) => [{ action: `textract:${operation}`, resource: '*' }],
  lambda: ({ path }) => {
    const name = decodeURIComponent(new URL(path, 'http://lambda').pathname.split('/')[3] ?? '');
    return [{ action: 'lambda:InvokeFunction', resource: functionArn(name) }];
  },
  s3: s3Requirements,
};

interface DynamoDbInput {
  TableName?: string;
  IndexName?: string;
  TransactItems?: Record<string, { TableName: string }>[];
  RequestItems?: Record<string, unknown>;
  Statements?: { Statement: string }[];
}

/** The names of a transaction's items, by which AWS's actions are called otherwise. */
const transactedActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  ConditionCheck: 'ConditionCheckItem',
};

function dynamodbRequirements(operation: string, input: DynamoDbInput): Requirement[] {
  const { TableName = '', IndexName, TransactItems, RequestItems, Statements } = input;
  if (TransactItems) {
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, each]) => ({
        action: `dynamodb:${transactedActions[kind] ?? kind}`,
        resource: tableArn(each.TableName),
      })),
    );
  }
  if (Statements) return Statements.map(statementRequirement);
  const action = `dynamodb:${operation}`;
  if (RequestItems) {
    return Object.keys(RequestItems).map((table) => ({ action, resource: tableArn(table) }));
  }
  const index = IndexName ? `/index/${IndexName}` : '';
  return [{ action, resource: tableArn(TableName) + index }];
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-iam.html */
function statementRequirement({ Statement }: { Statement: string }): Requirement {
  const table = Statement.match(/^INSERT INTO "([^"]+)"/)?.[1];
  if (!table) throw new Error(`The local stage doesn't know what a statement needs: ${Statement}`);
  return { action: 'dynamodb:PartiQLInsert', resource: tableArn(table) };
}

const tableArn = (name: string) =>
  name.startsWith('arn:') ? name : `arn:aws:dynamodb:${region}:${account}:table/${name}`;

/**
 * A bucket is the first part of a path. Every part of an upload needs what the whole object needs.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html#mpuAndPermissions
 */
function s3Requirements({ method, path, headers }: SignedRequest): Requirement[] {
  const { pathname, searchParams } = new URL(path, 'http://s3');
  const [, bucket, ...key] = decodeURIComponent(pathname).split('/');
  if (!key.join('/')) return [{ action: 's3:ListBucket', resource: `arn:aws:s3:::${bucket}` }];
  const resource = `arn:aws:s3:::${bucket}/${key.join('/')}`;
  if (method === 'DELETE') {
    const action = searchParams.has('uploadId') ? 's3:AbortMultipartUpload' : 's3:DeleteObject';
    return [{ action, resource }];
  }
  if (method === 'GET' || method === 'HEAD') return [{ action: 's3:GetObject', resource }];
  const source = headers['x-amz-copy-source'];
  return [
    { action: 's3:PutObject', resource },
    ...(source ? [{ action: 's3:GetObject', resource: `arn:aws:s3:::${source}` }] : []),
  ];
}
