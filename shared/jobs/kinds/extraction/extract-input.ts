import * as v from 'valibot';
import { ExtractError } from '../../../extract/asked/errors.ts';
import { type ExtractSpec, parseExtract } from '../../../extract/asked/spec.ts';
import { valueError } from '../../../http/errors.ts';
import { dictionary, orNull, runningAs, stringUpTo } from '../../../http/schema.ts';
import { findModel } from '../../../models/catalogue.ts';
import type { Extracting } from '../../asked/extract-task.ts';
import { chatModelOf } from '../../asked/task.ts';
import { lowConfidence } from '../../results/warnings.ts';

const Below = dictionary(v.object({ below: v.pipe(v.number(), v.minValue(0), v.maxValue(100)) }));
const anyVision = v.union([v.boolean(), Below]);

/** Which fields a submission asks for, and how. */
export const ExtractInput = dictionary(
  v.object({
    /** A JSON Schema of the object to be made. */
    schema: v.optional(v.unknown()),
    /** Such an object, of which a schema is made. */
    example: v.optional(v.unknown()),
    /** Has a value that no page shows come as null. */
    require_evidence: v.optional(v.boolean(), false),
    /** Puts pages that were read with a low confidence to the model as pictures too. */
    vision: v.optional(
      runningAs(anyVision, (value) => (typeof value === 'object' ? Below : v.boolean())),
      false,
    ),
    /** Writes tables beside the source: CSV and JSON Lines. */
    table: v.optional(v.boolean(), false),
    instruction: orNull(stringUpTo(2000)),
  }),
);

export type ExtractInput = v.InferOutput<typeof ExtractInput>;

/** A job's item has the schema, and each write of it is billed by its length. */
const maxSchemaBytes = 32 * 1024;

/** Checks what a submission asks to be extracted. Throws a 422 that names the field. */
export function checkExtract(input: ExtractInput, asked: Parameters<typeof chatModelOf>[0]): void {
  const { vision } = input;
  if (Buffer.byteLength(specOf(input).schemaJson) > maxSchemaBytes) {
    throw valueError(['body', 'extract', 'schema'], 'it is longer than 32 KB');
  }
  const model = findModel(chatModelOf(asked));
  if (vision !== false && model && model.maxImageTokens === undefined) {
    throw valueError(['body', 'extract', 'vision'], `${model.id} takes no images`);
  }
}

/** Returns the attributes by which a job knows what is to be extracted. */
export function extractOf(input: ExtractInput): Extracting {
  const { vision, table, instruction } = input;
  const below = typeof vision === 'object' ? vision.below : lowConfidence;
  return {
    extract: {
      require_evidence: input.require_evidence,
      ...(vision !== false && { vision_below: below }),
      ...(table && { table }),
      ...(instruction && { instruction }),
    },
    extract_schema: specOf(input).schemaJson,
  };
}

/** Returns the specification that a job has. */
export const specOfJob = ({ extract, extract_schema = '{}' }: Extracting): ExtractSpec => ({
  ...parseExtract({ schema: JSON.parse(extract_schema) }),
  require_evidence: extract?.require_evidence ?? false,
});

function specOf({ schema, example, require_evidence }: ExtractInput) {
  try {
    const given = {
      ...(schema !== undefined && { schema }),
      ...(example !== undefined && { example }),
    };
    const { schema: made } = parseExtract({ ...given, require_evidence });
    return { schemaJson: JSON.stringify(made) };
  } catch (error) {
    if (!(error instanceof ExtractError)) throw error;
    throw valueError(['body', 'extract', ...error.path], error.message);
  }
}
