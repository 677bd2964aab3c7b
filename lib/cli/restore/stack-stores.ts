import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { CommandError } from '../command-line.ts';
import { farTimeouts } from '../target.ts';

/** The stores of a stack, by names, ARNs or URLs. */
export interface StackStores {
  tables: string[];
  others: string[];
}

const otherTypes = ['AWS::S3::Bucket', 'AWS::SecretsManager::Secret', 'AWS::SQS::Queue'];

/** Returns what a deployed stack holds. Throws CommandError if there is no such stack. */
export async function storesOf(stack: string): Promise<StackStores> {
  const client = new CloudFormationClient(farTimeouts);
  const stores: StackStores = { tables: [], others: [] };
  try {
    for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
      for (const { ResourceType = '', PhysicalResourceId = '' } of page.StackResourceSummaries ??
        []) {
        if (ResourceType === 'AWS::DynamoDB::GlobalTable') stores.tables.push(PhysicalResourceId);
        if (otherTypes.includes(ResourceType)) stores.others.push(PhysicalResourceId);
      }
    }
  } catch (cause) {
    if (!(cause as Error).message.includes('does not exist')) throw cause;
    throw new CommandError(`There is no stack ${stack} in this account and region.`, { cause });
  }
  return stores;
}
