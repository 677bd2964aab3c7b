import { CommandError } from '../command-line.ts';

/** A synthesized template, as far as it is read here. */
export interface StackTemplate {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

/** The types whose resources stay when their stack is deleted, each with the property that identifies one. */
const identifiers: Record<string, string> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SecretsManager::Secret': 'Id',
  'AWS::SQS::Queue': 'QueueUrl',
};

/** A change set of the type IMPORT: what it imports, and the template of a stack that has nothing else. */
export interface Adoption {
  template: StackTemplate;
  resourcesToImport: {
    ResourceType: string;
    LogicalResourceId: string;
    ResourceIdentifier: Record<string, string>;
  }[];
}

/**
 * Returns what makes a new stack own an old one's tables, buckets, queues and secrets, by names, ARNs or URLs. Throws a
 * CommandError that lists those it misses or doesn't know.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-import-new-stack.html
 */
export function adoptionOf(template: StackTemplate, stackName: string, given: string[]): Adoption {
  const lasting = Object.entries(template.Resources).filter(([, { Type }]) => identifiers[Type]);
  const unknown = new Set(given);
  const missing: string[] = [];
  const resourcesToImport = lasting.flatMap(([id, { Type }]) => {
    const found = given.find((name) => isNamedAfter(id, name, stackName));
    if (found === undefined) {
      missing.push(`${id} (${Type})`);
      return [];
    }
    unknown.delete(found);
    const ResourceIdentifier = { [identifiers[Type] ?? '']: found };
    return [{ ResourceType: Type, LogicalResourceId: id, ResourceIdentifier }];
  });
  const wrong = [
    missing.length > 0 && `Name these too: ${missing.join(', ')}.`,
    unknown.size > 0 && `The stack has nothing of these names: ${[...unknown].join(', ')}.`,
  ].filter(Boolean);
  if (wrong.length > 0) throw new CommandError(wrong.join('\n'));
  return { template: { Resources: Object.fromEntries(lasting) }, resourcesToImport };
}

/**
 * Whether CloudFormation named a resource: `<stack>-<logical id>-<random>`, in lower case for a bucket, without the
 * stack for a secret, long ones cut.
 */
function isNamedAfter(id: string, nameOrArn: string, stackName: string): boolean {
  const name = nameOrArn.split(/:secret:|\//).at(-1) ?? '';
  return [`${stackName}-${id}`, `${stackName}-${id}`.toLowerCase(), id].some((made) => {
    const kept = name.slice(0, made.length);
    return kept.length > 0 && made === kept && /^-\w+(-\w+)?$/.test(name.slice(made.length));
  });
}
