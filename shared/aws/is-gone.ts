/**
 * Whether S3 says that an object is not there. It calls it forbidden to a function that may not list. Its client is left to
 * the functions that use it.
 */
export const isGone = (error: unknown) =>
  [403, 404].includes(
    (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0,
  );
