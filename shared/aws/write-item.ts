import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { dynamodb } from './dynamodb.ts';
import { retryConflicts } from './transact.ts';

/*
 * Writes of one item. A condition that doesn't hold is no error, as it is how writers agree on the first; and a
 * write that a transaction is in the way of is made again.
 */

/** Puts an item. Returns undefined if its condition doesn't hold. */
export const putItem = (input: PutCommandInput) =>
  unlessConditionFails(retryConflicts(() => dynamodb.send(new PutCommand(input))));

/** The put of an item that is not there yet. */
export const newItem = <Item extends object>(TableName: string, Item: Item) => ({
  TableName,
  Item,
  ConditionExpression: 'attribute_not_exists(entry)',
});

/** Updates an item. Returns undefined if its condition doesn't hold. */
export const updateItem = (input: UpdateCommandInput) =>
  unlessConditionFails(retryConflicts(() => dynamodb.send(new UpdateCommand(input))));

/** Deletes an item. Returns undefined if its condition doesn't hold. */
export const deleteItem = (input: DeleteCommandInput) =>
  unlessConditionFails(retryConflicts(() => dynamodb.send(new DeleteCommand(input))));

/** Updates an item. If its condition doesn't hold, `refusedBy` is the item, if there is one. */
export const updateOrItem = <Item>(input: UpdateCommandInput) =>
  outputOrItem<Item>(
    retryConflicts(() =>
      dynamodb.send(
        new UpdateCommand({ ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      ),
    ),
  );

/** Awaits an update that asks for `ALL_OLD`. If its condition didn't hold, `refusedBy` is the item, if there was one. */
export async function outputOrItem<Item>(
  update: Promise<UpdateCommandOutput>,
): Promise<{ output?: UpdateCommandOutput; refusedBy?: Item | undefined }> {
  try {
    return { output: await update };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { refusedBy: error.Item && (unmarshall(error.Item) as Item) };
  }
}

/** Awaits a conditional write. Returns its output; undefined if its condition didn't hold. */
export async function unlessConditionFails<Output>(
  write: Promise<Output>,
): Promise<Output | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
