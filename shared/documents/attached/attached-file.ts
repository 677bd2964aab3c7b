import * as v from 'valibot';

/** A file's bytes; or, as Lambda takes 6 MB, where they are fetched from. */
const Content = v.union([v.object({ base64: v.string() }), v.object({ url: v.string() })]);

const atLeastOne = v.pipe(v.number(), v.minValue(1));

/** How much of a text is wanted. */
const ReadingLimits = v.object({
  characters: atLeastOne,
  /** Of the text as JSON: Lambda returns 6 MB. */
  jsonBytes: atLeastOne,
  /** What becomes of a longer text. */
  longer: v.picklist(['cut', 'refused']),
  /** How long the reading may take, if that is less than the function has. */
  ms: v.optional(atLeastOne),
});

/** A file that the function `read-document` is to read. */
export const AttachedFile = v.object({
  keyId: v.string(),
  name: v.string(),
  mimeType: v.string(),
  content: Content,
  limits: ReadingLimits,
});

export type AttachedContent = v.InferOutput<typeof Content>;
export type ReadingLimits = v.InferOutput<typeof ReadingLimits>;
export type AttachedFile = v.InferOutput<typeof AttachedFile>;

/** What a file says as text; or why it can't be told, as a sentence for the caller, and as a code if there is one. */
export type AttachedReading = { text: string } | { unreadable: string; code?: string };
