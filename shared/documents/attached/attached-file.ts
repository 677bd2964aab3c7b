import * as v from 'valibot';

/** A file that the function `read-document` is to read. */
export const AttachedFile = v.object({
  name: v.string(),
  mimeType: v.string(),
  base64: v.string(),
});

export type AttachedFile = v.InferOutput<typeof AttachedFile>;

/** What a file says as text; or why it can't be told, as a sentence for the caller. */
export type AttachedReading = { text: string } | { unreadable: string };
