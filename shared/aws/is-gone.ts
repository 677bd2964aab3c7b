/** Whether S3 says that an object is not there. To a function that may not list it says "forbidden" instead. */
export const isGone = (error: unknown) =>
  [403, 404].includes(
    (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0,
  );
