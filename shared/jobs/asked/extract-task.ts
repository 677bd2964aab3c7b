import { hash } from 'node:crypto';

/** How fields are to be extracted, beside their schema. */
export interface ExtractTask {
  /** Whether a value without a place on a page becomes null. */
  require_evidence: boolean;
  /** Pages that were read with a lower confidence are put to the model as pictures too. */
  vision_below?: number;
  /** Whether tables are written beside the source. */
  table?: boolean;
  instruction?: string;
}

/** The attributes by which a job knows what is extracted. */
export interface Extracting {
  extract?: ExtractTask;
  extract_schema?: string;
}

/** Returns a hash that tells one extraction of a document from another. */
export const extractSha256 = ({ extract, extract_schema = '' }: Extracting) =>
  hash('sha256', `${extract_schema}\n${extract?.instruction ?? ''}`);

/** Returns an extraction as a job's record shows it, with the schema as given or made of the example. */
export function extractShown({ extract, extract_schema }: Extracting) {
  if (!extract || !extract_schema) return null;
  const { vision_below, instruction = null, table = false, require_evidence } = extract;
  return {
    schema: JSON.parse(extract_schema) as Record<string, unknown>,
    require_evidence,
    vision: vision_below === undefined ? (false as const) : { below: vision_below },
    table,
    instruction,
  };
}
