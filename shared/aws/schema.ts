import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { isFunctionOfLedger, setting } from '../config.ts';

/**
 * The form of what the tables hold. It is raised with a change after which older code can't go on with what newer code
 * stores, or newer code with what older code stored.
 */
export const schemaItem = { key_id: 'deployment', entry: 'schema', schema_version: 1 };

const version = schemaItem.schema_version;
const onlyVersion = 'schema_version';

/** The tables have items of another schema. Callers get a 503 as in an outage, and jobs wait. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly $metadata = { httpStatusCode: 503 };
}

/** Throws SchemaError if the tables hold data of another schema. Tables that nothing was stored in say none. */
export async function requireSchema(dynamodb: DynamoDBDocumentClient): Promise<void> {
  const { key_id, entry } = schemaItem;
  const { Item } = await dynamodb.send(
    new GetCommand({
      TableName: setting('LEDGER_TABLE'),
      Key: { key_id, entry },
      ProjectionExpression: onlyVersion,
      ConsistentRead: true,
    }),
  );
  const stored = Item?.[onlyVersion] ?? version;
  if (stored === version) return;
  const todo =
    stored > version
      ? 'Deploy the newer version again.'
      : 'Deploy the version that stored it, and read in the changelog how its data is moved.';
  throw new SchemaError(
    `The tables hold data of schema ${stored}, and this version knows schema ${version} alone. ${todo}`,
  );
}

/** Has a function read the schema before its process's first request, and refuse each while it is another. */
export function holdToSchema(dynamodb: DynamoDBDocumentClient): void {
  let known: Promise<void> | undefined;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const isAsking =
        'ProjectionExpression' in args.input && args.input.ProjectionExpression === onlyVersion;
      if (!isAsking && isFunctionOfLedger()) {
        known ??= requireSchema(dynamodb).catch((error: unknown) => {
          known = undefined;
          // If the ledger can't be read for now, other tables may be: the next request asks again.
          if (error instanceof SchemaError) throw error;
        });
        await known;
      }
      return next(args);
    },
    { step: 'initialize', name: 'schema' },
  );
}
