import { StageError } from '../stage-error.ts';
import type { References, Template } from './template.ts';

export const region = 'us-east-1';
export const account = '000000000000';

/** The names, ARNs and URLs of a template's resources on this machine. Names and ARNs are the same at each start. */
export class ResourceNames implements References {
  private readonly template: Template;
  private readonly stackName: string;
  private readonly known = new Map<string, string>();

  constructor(template: Template, stackName: string) {
    this.template = template;
    this.stackName = stackName;
  }

  /** Sets an attribute that only the resource's engine knows, such as a stream's ARN, or `Ref`, its id. */
  set(logicalId: string, attribute: string, value: string): void {
    this.known.set(`${logicalId}.${attribute}`, value);
  }

  /** Returns the physical name of a resource. */
  nameOf(logicalId: string): string {
    const name = `${this.stackName}-${logicalId}`;
    return this.typeOf(logicalId) === 'AWS::S3::Bucket' ? name.toLowerCase().slice(0, 63) : name;
  }

  ref(logicalId: string): string {
    const pseudo = pseudoParameters[logicalId];
    if (pseudo) return pseudo;
    const known = this.known.get(`${logicalId}.Ref`);
    if (known) return known;
    if (this.typeOf(logicalId) === 'AWS::SecretsManager::Secret') return this.arnOf(logicalId);
    if (this.typeOf(logicalId) === 'AWS::Lambda::Alias') return this.aliasArn(logicalId);
    return this.nameOf(logicalId);
  }

  getAtt(logicalId: string, attribute: string): string {
    const known = this.known.get(`${logicalId}.${attribute}`);
    if (known) return known;
    if (attribute === 'Arn') return this.arnOf(logicalId);
    if (['QueueName', 'RegionalDomainName'].includes(attribute)) return this.nameOf(logicalId);
    if (attribute === 'RootResourceId') return `${logicalId}.${attribute}`;
    throw new StageError(`The local stage doesn't know ${attribute} of ${logicalId}.`);
  }

  /** An alias is of the function that there is: a stage has one version of each. */
  private aliasArn(logicalId: string): string {
    const { FunctionName, Name } = this.template.Resources[logicalId]?.Properties ?? {};
    const { Ref } = FunctionName as { Ref: string };
    return `${this.arnOf(Ref)}:${Name}`;
  }

  private arnOf(logicalId: string): string {
    const type = this.typeOf(logicalId);
    const arn = arnPatterns[type];
    if (!arn) throw new StageError(`The local stage makes no ARN for ${type} (${logicalId}).`);
    return arn(this.nameOf(logicalId));
  }

  private typeOf(logicalId: string): string {
    const resource = this.template.Resources[logicalId];
    if (!resource)
      throw new StageError(`The template refers to ${logicalId}, which it doesn't make.`);
    return resource.Type;
  }
}

const pseudoParameters: Record<string, string> = {
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NoValue': '',
};

/** Returns the ARN of the function of a physical name. */
export const functionArn = (name: string) => `arn:aws:lambda:${region}:${account}:function:${name}`;

const arnPatterns: Record<string, (name: string) => string> = {
  'AWS::DynamoDB::GlobalTable': (name) => `arn:aws:dynamodb:${region}:${account}:table/${name}`,
  'AWS::IAM::Role': (name) => `arn:aws:iam::${account}:role/${name}`,
  'AWS::Lambda::Function': functionArn,
  'AWS::Logs::LogGroup': (name) => `arn:aws:logs:${region}:${account}:log-group:${name}`,
  'AWS::S3::Bucket': (name) => `arn:aws:s3:::${name}`,
  'AWS::SecretsManager::Secret': (name) =>
    `arn:aws:secretsmanager:${region}:${account}:secret:${name}`,
  'AWS::SQS::Queue': (name) => `arn:aws:sqs:${region}:${account}:${name}`,
};
