/**
 * A file of requests may have no more lines, blank ones included.
 *
 * @see https://platform.openai.com/docs/guides/batch
 */
export const maxLines = 50_000;
