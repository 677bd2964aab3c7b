/** A file of requests may have no more lines, blank ones included. @see https://platform.openai.com/docs/guides/batch */
export const maxLines = 50_000;

/** The file of a batch's requests may be no larger. */
export const maxBatchBytes = 200 * 1024 * 1024;
